#include "check/run.h"

#include <optional>
#include <string>

#include "check/explore.h"
#include "check/explore_election.h"
#include "check/memory_model.h"
#include "election/catalog.h"
#include "memory/bakery_model.h"
#include "memory/dijkstra_model.h"
#include "memory/semaphore_model.h"

namespace hapax {
namespace {

template <class M>
CheckReport check_memory(const CheckOptions& options, const SearchObserver& observer) {
  CheckOptions o = options;
  o.fences = false;
  MemoryCheck<M> model{o};
  return explore(model, o, "single reads and writes", true, observer);
}

// Whether the view can start as the options say.
Result<void> check_holdings(std::string_view algorithm, const CheckOptions& options,
                            const MutexChoices& choices) {
  if (options.holdings.empty()) return {};
  Result<void> fits = error("of {} at most one is inside: use --holder and --held", algorithm);
  with_mutex(algorithm, [&]<class A>() {
    if constexpr (SharedAlgorithm<A>) {
      const std::uint32_t capacity = make<A>(View{}, options_from<A>(choices)).capacity();
      const bool all =
          options.holdings.size() == options.n && may_be_held_together(options.holdings, capacity);
      const std::uint32_t most = capacity == kAnyNumber ? 1 : choices.most_units_of_a_member();
      fits = Result<void>{};
      for (const Holding& holding : options.holdings) {
        if (!all || holding.units > most) fits = error("so many cannot be inside at the start");
      }
    }
  });
  return fits;
}

}  // namespace

Result<CheckReport> check(std::string_view algorithm, const CheckOptions& options,
                          const MutexChoices& choices, const SearchObserver& observer) {
  if (options.n < 1 || options.n > kMostChecked) {
    return error("-n {} is out of reach of an exhaustive check; use 1 … {}", options.n,
                 kMostChecked);
  }
  if (options.entries < 1 || options.entries > 200) {
    return error("--entries {} is out of range; use 1 … 200", options.entries);
  }
  if (number(options.holder) >= options.n) {
    return error("there is no process {} to hold; use P1 … P{}", number(options.holder) + 1,
                 options.n);
  }
  if (const auto fits = check_holdings(algorithm, options, choices); !fits) return fits.error();
  std::optional<CheckReport> report;
  std::string_view never_repeats;
  with_mutex(algorithm, [&]<class A>() {
    never_repeats = A::kInfo.never_repeats;
    if (choices.units > 1 && never_repeats.empty()) {
      never_repeats = A::kInfo.never_repeats_with_units;
    }
    if (options.forever && !never_repeats.empty()) return;
    report = check_mutex<A>(options, options_from<A>(choices), observer);
  });
  if (algorithm == "bakery-lock") never_repeats = "tickets grow as long as somebody has one";
  const bool elects = with_election(algorithm, []<class A>() {});
  if (elects) never_repeats = "terms grow with every campaign";
  if (options.forever && !never_repeats.empty()) {
    return error(
        "{} cannot be checked for ever, since its states do not come again: {}; say how "
        "often each asks, with --entries",
        algorithm, never_repeats);
  }
  if (elects && (options.losses > 0 || options.duplicates > 0)) {
    return error(
        "an election's link loses what it holds only as a whole, when an end of it crashes, and "
        "doubles nothing: use --faults crash");
  }
  with_election(algorithm, [&]<class A>() { report = check_election<A>(options, {}, observer); });
  if (algorithm == "dijkstra") report = check_memory<DijkstraModel>(options, observer);
  if (algorithm == "bakery-lock") report = check_memory<BakeryModel>(options, observer);
  if (algorithm == "semaphore") report = check_memory<SemaphoreModel>(options, observer);
  if (!report)
    return error(
        "'{}' is not an algorithm that can be checked; take one that `hapax algorithms` lists",
        algorithm);
  return *report;
}

}  // namespace hapax
