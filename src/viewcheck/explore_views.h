// Search, then judge: from the view change to a report.
#pragma once

#include <fmt/format.h>

#include "check/explore.h"
#include "search/conclusion.h"
#include "search/fair_cycles.h"
#include "search/report.h"
#include "search/search.h"
#include "viewcheck/view_model.h"

namespace hapax {

// REQUIRES: options are in range.
template <MutexAlgorithm A>
CheckReport check_views(const ViewCheckOptions& options, const SearchObserver& observer = {}) {
  using Model = ViewModel<A>;
  Model model{options};
  Search<Model> search{model, options.most_bytes};
  const bool finished = search.run(observer);
  Conclusion<Model> conclusion{model, search, finished};
  CheckReport& report = conclusion.report;
  if (!conclusion.is_open()) return report;
  if (!search.is_layered()) {
    if (const auto starved = FairCycles<Model>{model, search.states()}.find(options.n)) {
      conclusion.goes_round(
          "progress",
          fmt::format("P{} can wait for ever although everybody goes on", starved->process + 1),
          *starved);
      return report;
    }
  }
  typename OptionsOf<A>::Type choice{};
  if constexpr (requires { choice.units; }) choice.units = options.units;
  const Promise promise = promise_of<A>(choice);
  report.proved = fmt::format(
      "In every order of requests, exits, deliveries, proposals and beats, with up to {} faults in "
      "a run, and counting those whose lease is not over: {}, nobody is let in without a lease, "
      "{}{}whoever waits at a member that lives enters at last.",
      options.faults, promise.exclusion, promise.fences,
      promise.fences.empty() ? "and " : ", and ");
  return report;
}

}  // namespace hapax
