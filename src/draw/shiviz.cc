#include "draw/shiviz.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace hapax {
namespace {

using Kind = Happening::Kind;
using VectorClock = std::vector<std::uint64_t>;

class Log {
 public:
  explicit Log(const Chronicle& scene)
      : scene_(scene), clocks_(scene.names.size(), VectorClock(scene.names.size())) {}

  std::string text() {
    std::string out;
    const std::vector<Happening>& all = scene_.happenings;
    for (std::size_t from = 0; from < all.size();) {
      std::size_t to = from;
      while (to < all.size() && all[to].step == all[from].step) ++to;
      // What befalls a message or the network is no event of a node.
      if (all[from].kind == Kind::copied) sent_[all[from].message] = sent_[all[from].original];
      const bool is_step =
          all[from].node && all[from].kind != Kind::copied && all[from].kind != Kind::lost;
      if (is_step) out += event(from, to);
      from = to;
    }
    return out;
  }

 private:
  std::string event(std::size_t from, std::size_t to) {
    const NodeId node = *scene_.happenings[from].node;
    VectorClock& clock = clocks_[number(node)];
    ++clock[number(node)];
    std::string said;
    for (; from < to; ++from) {
      const Happening& h = scene_.happenings[from];
      if (h.kind == Kind::receive) merge(clock, sent_[h.message]);
      if (h.kind == Kind::send) sent_[h.message] = clock;
      if (const std::string words = words_of(h); !words.empty()) {
        said += (said.empty() ? "" : "; ") + words;
      }
    }
    return fmt::format("{} {{{}}} {}\n", scene_.names[number(node)], entries(clock), said);
  }

  std::string words_of(const Happening& h) const {
    switch (h.kind) {
      case Kind::receive:
        return fmt::format("receives {} from {}", h.text, name(h.peer));
      case Kind::send:
        return fmt::format("sends {} to {}", h.text, name(h.peer));
      case Kind::enter:
        return h.fence ? fmt::format("is inside with fence {}", *h.fence) : "is inside";
      case Kind::leader:
        return h.peer ? fmt::format("has leader {}", name(h.peer)) : "has no leader";
      case Kind::request:
      case Kind::leave:
      case Kind::crash:
        return std::string{name_of(h.kind)};
      case Kind::defer:
        return "";
      default:
        return h.text;
    }
  }
  const std::string& name(std::optional<NodeId> node) const { return scene_.names[number(*node)]; }

  static void merge(VectorClock& clock, const VectorClock& other) {
    for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
  }
  std::string entries(const VectorClock& clock) const {
    std::string text;
    for (std::size_t i = 0; i < clock.size(); ++i) {
      if (clock[i] == 0) continue;
      text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", scene_.names[i], clock[i]);
    }
    return text;
  }

  const Chronicle& scene_;
  std::vector<VectorClock> clocks_;
  std::map<MessageId, VectorClock> sent_;
};

}  // namespace

std::string shiviz_log(std::span<const Chronicle> scenes) {
  std::string out = fmt::format("# Log parsing regular expression: {}\n", kShivizRegex);
  if (scenes.size() > 1) out += fmt::format("# Multiple executions: {}\n", kShivizDelimiter);
  for (const Chronicle& scene : scenes) {
    if (scenes.size() > 1) out += fmt::format("=== {} ===\n", scene.algorithm);
    out += Log{scene}.text();
  }
  return out;
}

}  // namespace hapax
