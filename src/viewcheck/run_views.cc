#include "viewcheck/run_views.h"

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "check/proved.h"
#include "search/conclusion.h"
#include "search/fair_cycles.h"
#include "viewcheck/view_model.h"

namespace hapax {
namespace {

Result<void> check_range(const ViewCheckOptions& options) {
  if (options.n < 2 || options.n > kMostInViews) {
    return error("-n {} is out of reach of a check of the views; use 2 … {}", options.n,
                 kMostInViews);
  }
  if (options.joiners > options.n) {
    return error("--join {}: there are only {} processes; say -n {}", options.joiners, options.n,
                 options.joiners);
  }
  if (options.entries < 1 || options.entries > 9) {
    return error("--entries {} is out of range; use 1 … 9", options.entries);
  }
  if (options.units < 1 || options.units > kMostInViews) {
    return error("--units {} is out of reach of a check of the views; use 1 … {}", options.units,
                 kMostInViews);
  }
  return {};
}

}  // namespace

Result<CheckReport> check_views_of(std::string_view name, const ViewCheckOptions& options,
                                   const SearchObserver& observer) {
  if (const auto fits = check_range(options); !fits) return fits.error();
  const Operations* algorithm = find_algorithm(name);
  if (algorithm == nullptr) {
    return error(
        "'{}' is not an algorithm that runs in views; take one of mutual exclusion that `hapax "
        "algorithms` lists",
        name);
  }
  if (algorithm->shared && options.gate) {
    return error("--gate is for locks that one holds alone; {} lets several in", name);
  }
  if (algorithm->shared && options.settings) {
    return error("{} lets several in, and cannot be exchanged while members run", name);
  }
  if (options.again > 0 && !algorithm->info.permission_stays) {
    return error("--again is for algorithms whose permission stays; that of {} does not", name);
  }
  ViewModel model{*algorithm, options};
  Search search{model, options.most_bytes};
  const bool finished = search.run(observer);
  Conclusion conclusion{model, search, finished};
  CheckReport& report = conclusion.report;
  if (!conclusion.is_open()) return report;
  if (!search.is_layered()) {
    if (const auto starved = FairCycles{model, search.states()}.find(options.n)) {
      conclusion.goes_round(
          "progress",
          fmt::format("P{} can wait for ever although everybody goes on", starved->process + 1),
          *starved);
      return report;
    }
  }
  const MutexChoices choices{.units = options.units};
  const Promise promise = promise_of(Instance{*algorithm, View{}, choices}.capacity());
  report.proved = fmt::format(
      "In every order of requests, exits, deliveries, proposals and beats, with up to {} faults in "
      "a run, and counting those whose lease is not over: {}, nobody is let in without a lease, "
      "{}{}whoever waits at a member that lives enters at last.",
      options.faults, promise.exclusion, promise.fences,
      promise.fences.empty() ? "and " : ", and ");
  return report;
}

}  // namespace hapax
