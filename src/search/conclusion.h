// What every search comes to, whatever its model: counts, a violation with the way to it, or a
// search that was cut short. What was proved is for the model's own page to say.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "search/fair_cycles.h"
#include "search/report.h"
#include "search/round.h"
#include "search/search.h"

namespace hapax {

template <class Model>
class Conclusion {
 public:
  using Way = std::vector<typename Model::Action>;

  // REQUIRES: the search has run. `finished`: what it returned.
  Conclusion(Model& model, Search<Model>& search, bool finished) : model_(model), search_(search) {
    report.states = search.states().size();
    report.transitions = search.transitions();
    report.depth = search.depth();
    report.bytes = search.bytes();
    if (const auto& found = search.finding()) {
      violated(found->property, found->text, found->way);
    } else if (!finished) {
      report.verdict = Verdict::unfinished;
      report.proved = fmt::format("No violation within {} steps, and not all states were seen.",
                                  search.depth());
    } else {
      is_open_ = true;
    }
  }

  // Every state was seen and none is bad in itself. Left to judge: runs that never end.
  bool is_open() const { return is_open_; }

  void violated(std::string property, std::string finding, const Way& way) {
    report.verdict = Verdict::violated;
    report.property = std::move(property);
    report.finding = std::move(finding);
    report.commands = model_.tell(way);
    report.depth = static_cast<std::uint32_t>(way.size());
  }

  // Somebody can go round for ever: the way there, and once round.
  void goes_round(std::string property, std::string finding,
                  const typename FairCycles<Model>::Starvation& starved) {
    Way way = search_.way_to(starved.state);
    const Way round =
        FairRound<Model>{model_, search_.states(), starved.process}.from(starved.state);
    way.insert(way.end(), round.begin(), round.end());
    violated(std::move(property), std::move(finding), way);
    report.round = round.size();
  }

  CheckReport report;

 private:
  Model& model_;
  Search<Model>& search_;
  bool is_open_ = false;
};

}  // namespace hapax
