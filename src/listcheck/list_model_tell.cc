// The steps of a fixed list, in words.
#include <fmt/format.h>

#include "catalog/catalog.h"
#include "listcheck/list_model.h"
#include "locks/lock_payload.h"
#include "service/view_frame.h"

namespace hapax {

std::vector<std::string> ListModel::tell(const std::vector<SearchStep>& way) {
  std::vector<std::string> lines;
  for (const SearchStep& step : way) lines.push_back(tell(step));
  return lines;
}

std::string ListModel::tell_frame(std::uint32_t link) const {
  const ViewFrame frame = *divide_view_frame(members_.frame(links_.front(link).frame));
  if (frame.is_report) {
    const bool held = !decode<ReportPart>(frame.rest)->held.empty();
    return fmt::format("its report for epoch {}, {}held", frame.epoch, held ? "" : "not ");
  }
  const LockPayload payload = *divide_payload(frame.rest);
  // Not always ours: settings may differ.
  const Operations& algorithm = *find_algorithm(AlgorithmId{payload.tag});
  const std::string text = payload.wake ? "WAKE" : algorithm.describe_message(payload.message);
  return fmt::format("{} of epoch {}", text, frame.epoch);
}

std::string ListModel::tell(const SearchStep& step) const {
  const std::uint32_t who = step.from + 1u;
  const std::uint32_t other = step.to + 1u;
  switch (static_cast<Kind>(step.kind)) {
    case Kind::deliver:
      return fmt::format("P{} receives from P{}: {}", other, who, tell_frame(step.what));
    case Kind::meet:
      return fmt::format("P{} is connected to P{}", who, other);
    case Kind::part:
      return fmt::format("P{} notices that P{} is gone", who, other);
    case Kind::exit:
      return fmt::format("P{}'s client leaves", who);
    case Kind::write:
      return fmt::format("P{} writes down the next epoch, and reports for it", who);
    case Kind::notice:
      return fmt::format("the client of P{}'s last life notices that it is over", who);
    case Kind::restart:
      return fmt::format("P{} starts again", who);
    case Kind::ask:
      return fmt::format("P{}'s client asks", who);
    case Kind::crash:
      return fmt::format("P{} is killed", who);
    case Kind::restart_without_file:
      return fmt::format("P{} starts again, and its state file is gone", who);
    case Kind::flap:
      return fmt::format("P{} loses its connection to P{}", who, other);
  }
  return "?";
}

}  // namespace hapax
