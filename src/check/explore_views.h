// Search, then judge: from the view change to a report.
#pragma once

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "check/fair_cycles.h"
#include "check/report.h"
#include "check/round.h"
#include "check/search.h"
#include "check/view_model.h"

namespace hapax {

// REQUIRES: options are in range.
template <MutexAlgorithm A>
CheckReport check_views(const ViewCheckOptions& options, const SearchObserver& observer = {}) {
  using Model = ViewModel<A>;
  Model model{options};
  Search<Model> search{model, options.most_bytes};
  const bool finished = search.run(observer);
  CheckReport report;
  report.states = search.states().size();
  report.transitions = search.transitions();
  report.depth = search.depth();
  report.bytes = search.bytes();
  const auto violated = [&](std::string property, std::string finding,
                            const std::vector<ViewStep>& way) {
    report.verdict = Verdict::violated;
    report.property = std::move(property);
    report.finding = std::move(finding);
    report.commands = model.tell(way);
    report.depth = static_cast<std::uint32_t>(way.size());
  };
  if (search.finding()) {
    violated(search.finding()->property, search.finding()->text, search.finding()->way);
    return report;
  }
  if (!finished) {
    report.verdict = Verdict::unfinished;
    report.proved =
        fmt::format("No violation within {} steps, and not all states were seen.", search.depth());
    return report;
  }
  if (!search.is_layered()) {
    if (const auto starved = FairCycles<Model>{model, search.states()}.find(options.n)) {
      std::vector<ViewStep> way = search.way_to(starved->state);
      const auto round =
          FairRound<Model>{model, search.states(), starved->process}.from(starved->state);
      way.insert(way.end(), round.begin(), round.end());
      violated(
          "progress",
          fmt::format("P{} can wait for ever although everybody goes on", starved->process + 1),
          way);
      report.round = round.size();
      return report;
    }
  }
  report.proved = fmt::format(
      "In every order of requests, exits, deliveries, proposals and beats, with up to {} faults in "
      "a "
      "run: no two clients are inside by a lease that is not over, nobody is let in without one, "
      "fences grow, and whoever waits at a member that lives enters at last.",
      options.faults);
  return report;
}

}  // namespace hapax
