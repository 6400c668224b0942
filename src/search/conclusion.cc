#include "search/conclusion.h"

#include <fmt/format.h>
#include <utility>

#include "search/round.h"

namespace hapax {

Conclusion::Conclusion(SearchModel& model, Search& search, bool finished)
    : model_(model), search_(search) {
  report.states = search.states().size();
  report.transitions = search.transitions();
  report.depth = search.depth();
  report.bytes = search.bytes();
  if (const auto& found = search.finding()) {
    violated(found->property, found->text, found->way);
  } else if (!finished) {
    report.verdict = Verdict::unfinished;
    report.proved =
        fmt::format("No violation within {} steps, and not all states were seen.", search.depth());
  } else {
    is_open_ = true;
  }
}

void Conclusion::violated(std::string property, std::string finding,
                          const std::vector<SearchStep>& way) {
  report.verdict = Verdict::violated;
  report.property = std::move(property);
  report.finding = std::move(finding);
  report.commands = model_.tell(way);
  report.depth = static_cast<std::uint32_t>(way.size());
}

void Conclusion::goes_round(std::string property, std::string finding,
                            const FairCycles::Starvation& starved) {
  std::vector<SearchStep> way = search_.way_to(starved.state);
  const std::vector<SearchStep> round =
      FairRound{model_, search_.states(), starved.process}.from(starved.state);
  way.insert(way.end(), round.begin(), round.end());
  violated(std::move(property), std::move(finding), way);
  report.round = round.size();
}

}  // namespace hapax
