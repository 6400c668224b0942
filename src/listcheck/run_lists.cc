#include "listcheck/run_lists.h"

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "listcheck/list_model.h"
#include "search/conclusion.h"
#include "search/fair_cycles.h"
#include "search/searches.h"
#include "viewcheck/view_options.h"

namespace hapax {

Result<CheckReport> check_lists_of(std::string_view name, const ListCheckOptions& options,
                                   const SearchObserver& observer) {
  if (options.n < 2 || options.n > kMostInViews) {
    return error("-n {} is out of reach of a check of the views; use 2 … {}", options.n,
                 kMostInViews);
  }
  if (options.entries < 1 || options.entries > 9 || options.restarts > 9 || options.flaps > 9) {
    return error("entries are 1 … 9, and faults of a kind at most 9");
  }
  const Operations* algorithm = find_algorithm(name);
  if (algorithm == nullptr || algorithm->shared) {
    return error(
        "'{}' is not an algorithm that lets one in at a time; `hapax algorithms` lists them", name);
  }
  ListModel model{*algorithm, options};
  Searches searches{model, options.most_bytes};
  const bool finished = searches.run(observer);
  Search& search = searches.last();
  Conclusion conclusion{model, search, finished};
  CheckReport& report = conclusion.report;
  if (!conclusion.is_open()) return report;
  if (!searches.every_run_ends()) {
    if (const auto starved = FairCycles{model, search.states()}.find(options.n)) {
      conclusion.goes_round(
          "progress",
          fmt::format("P{} can wait for ever although everybody goes on", starved->process + 1),
          *starved);
      return report;
    }
  }
  report.proved = fmt::format(
      "In every order of requests, exits, deliveries, connections and writes, with up to {} "
      "restarts in a run, and counting clients of a life that is over until they have noticed: at "
      "most one is inside, fences grow, no epoch has two meanings, and whoever waits at a member "
      "that stays up enters at last, when all are back.",
      options.restarts);
  return report;
}

}  // namespace hapax
