#include "check/run.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "check/explore.h"
#include "check/memory_model.h"
#include "election/catalog.h"
#include "memory/catalog.h"
#include "search/model.h"

namespace hapax {
namespace {

Result<void> check_range(const CheckOptions& options) {
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
  return {};
}

// Whether the view can start as the options say.
Result<void> check_holdings(std::string_view algorithm, const Operations* mutex,
                            const CheckOptions& options, const MutexChoices& choices) {
  if (options.holdings.empty()) return {};
  if (mutex == nullptr || !mutex->shared) {
    return error("of {} at most one is inside: use --holder and --held", algorithm);
  }
  const std::uint32_t capacity = Instance{*mutex, View{.size = options.n}, choices}.capacity();
  const std::uint32_t most = capacity == kAnyNumber ? 1 : choices.most_units_of_a_member();
  bool fits =
      options.holdings.size() == options.n && may_be_held_together(options.holdings, capacity);
  for (const Holding& holding : options.holdings) fits = fits && holding.units <= most;
  if (!fits) return error("so many cannot be inside at the start");
  return {};
}

// Where states come again when members go on for ever.
Result<void> check_forever(std::string_view algorithm, std::string_view never_repeats,
                           const CheckOptions& options) {
  if (!options.forever || never_repeats.empty()) return {};
  return error(
      "{} cannot be checked for ever, since its states do not come again: {}; say how often each "
      "asks, with --entries",
      algorithm, never_repeats);
}

// Only deliveries are put first, and only where nothing takes them away and every run ends.
Result<void> check_reduce(const CheckOptions& options, bool by_messages) {
  if (!options.reduce) return {};
  if (options.forever) return error("--reduce is for runs that end, not for --forever");
  if (options.has_faults()) return error("--reduce is for runs without faults");
  if (!by_messages) return error("--reduce is for mutual exclusion by messages");
  return {};
}

Result<CheckReport> check_one(const Operations& algorithm, const CheckOptions& options,
                              const MutexChoices& choices, const SearchObserver& observer) {
  const MutexInfo& info = algorithm.info;
  const std::string_view never_repeats = choices.units > 1 && !info.never_repeats_with_units.empty()
                                             ? info.never_repeats_with_units
                                             : info.never_repeats;
  if (const auto fits = check_forever(info.name, never_repeats, options); !fits) {
    return fits.error();
  }
  return check_mutex(algorithm, options, choices, observer);
}

Result<CheckReport> check_one(std::string_view algorithm, std::vector<AnyElection> members,
                              const CheckOptions& options, const SearchObserver& observer) {
  const auto fits = check_forever(algorithm, "terms grow with every campaign", options);
  if (!fits) return fits.error();
  if (options.losses > 0 || options.duplicates > 0) {
    return error(
        "an election's link loses what it holds only as a whole, when an end of it crashes, and "
        "doubles nothing: use --faults crash");
  }
  return check_election(std::move(members), options, observer);
}

Result<CheckReport> check_one(const MemoryInfo& info, const CheckOptions& options,
                              const SearchObserver& observer) {
  if (const auto fits = check_forever(info.name, info.never_repeats, options); !fits) {
    return fits.error();
  }
  CheckOptions without_fences = options;
  without_fences.fences = false;
  const std::unique_ptr<SearchModel> model = make_memory_model(info.name, without_fences);
  return explore(*model, without_fences, "single reads and writes", true, observer);
}

}  // namespace

Result<CheckReport> check(std::string_view algorithm, const CheckOptions& options,
                          const MutexChoices& choices, const SearchObserver& observer) {
  if (const auto fits = check_range(options); !fits) return fits.error();
  const Operations* mutex = find_algorithm(algorithm);
  if (const auto fits = check_reduce(options, mutex != nullptr); !fits) return fits.error();
  if (const auto fits = check_holdings(algorithm, mutex, options, choices); !fits) {
    return fits.error();
  }
  if (mutex != nullptr) return check_one(*mutex, options, choices, observer);
  std::vector<AnyElection> members;
  with_election(algorithm, [&]<class A>() { members = elect_among<A>(options.n); });
  if (!members.empty()) return check_one(algorithm, std::move(members), options, observer);
  for (const MemoryInfo& info : kMemoryCatalog) {
    if (info.name == algorithm) return check_one(info, options, observer);
  }
  return error(
      "'{}' is not an algorithm that can be checked; take one that `hapax algorithms` lists",
      algorithm);
}

}  // namespace hapax
