#include "viewcheck/run_views.h"

#include "mutex/algorithms.h"
#include "viewcheck/explore_views.h"

namespace hapax {

Result<CheckReport> check_views_of(std::string_view algorithm, const ViewCheckOptions& options,
                                   const SearchObserver& observer) {
  if (options.n < 2 || options.n > kMostInViews) {
    return error("-n {} is out of reach of a check of the views; use 2 … {}", options.n,
                 kMostInViews);
  }
  if (options.joiners >= options.n) {
    return error("--join {}: somebody has to be there at first; use fewer than {}", options.joiners,
                 options.n);
  }
  if (options.entries < 1 || options.entries > 9) {
    return error("--entries {} is out of range; use 1 … 9", options.entries);
  }
  if (options.units < 1 || options.units > kMostInViews) {
    return error("--units {} is out of reach of a check of the views; use 1 … {}", options.units,
                 kMostInViews);
  }
  Result<CheckReport> report = error(
      "'{}' is not an algorithm that runs in views; take one of mutual exclusion that `hapax "
      "algorithms` lists",
      algorithm);
  with_mutex(algorithm, [&]<class A>() {
    if (SharedAlgorithm<A> && options.gate) {
      report = error("--gate is for locks that one holds alone; {} lets several in", algorithm);
    } else {
      report = check_views<A>(options, observer);
    }
  });
  return report;
}

}  // namespace hapax
