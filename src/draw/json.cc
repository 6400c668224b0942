#include "draw/json.h"

#include <fmt/format.h>

namespace hapax {

boost::json::object happening_json(const Happening& h, const std::vector<std::string>& names) {
  boost::json::object object{{"step", h.step}, {"kind", name_of(h.kind)}};
  if (h.node) object["node"] = names[number(*h.node)];
  if (h.peer) object["peer"] = names[number(*h.peer)];
  if (h.message != MessageId{}) object["message"] = number(h.message);
  if (h.original != MessageId{}) object["original"] = number(h.original);
  if (h.refused) object["refused"] = true;
  if (h.fence) object["fence"] = fmt::format("{}", *h.fence);
  if (h.clock) object["clock"] = number(*h.clock);
  if (!h.text.empty()) object["text"] = h.text;
  return object;
}

boost::json::object chronicle_json(std::span<const Chronicle> scenes) {
  boost::json::array all;
  for (const Chronicle& scene : scenes) {
    boost::json::array happenings;
    for (const Happening& h : scene.happenings)
      happenings.push_back(happening_json(h, scene.names));
    all.push_back({{"algorithm", scene.algorithm},
                   {"nodes", boost::json::array(scene.names.begin(), scene.names.end())},
                   {"happenings", std::move(happenings)}});
  }
  return {{"scenes", std::move(all)}};
}

}  // namespace hapax
