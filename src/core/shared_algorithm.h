// The contract of an algorithm that lets several in at once: readers beside readers, or as many as
// there are units. It is a mutual-exclusion algorithm as well, so that all drivers can run it; what
// it has beyond that is here.
//
//   request(fx)        the plain request: exclusive if there is such a mode, else a unit
//   request(mode, fx)  also while the member is inside, if may_request() says so
//   release(fx)        gives back one unit, or all that the member has; also while it waits for
//                      another
//   phase()            waiting, if it waits at all; else inside, if it holds anything
//
// A view starts from a set of holders: A{view, options, holding} is told what this member itself
// holds. It need not know of the others, since it asks them.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/view.h"

namespace hapax {

enum class Mode : std::uint8_t { exclusive, shared };

constexpr bool is_valid(Mode mode) { return mode <= Mode::shared; }
constexpr std::string_view name_of(Mode mode) {
  return mode == Mode::exclusive ? "exclusive" : "shared";
}

// What one member holds. An exclusive holder has one unit, which stands for all there are.
struct Holding {
  Mode mode = Mode::exclusive;  // Meaningful while units > 0.
  std::uint32_t units = 0;

  HAPAX_RECORD(Holding, mode, units)
};

inline constexpr std::uint32_t kAnyNumber = std::numeric_limits<std::uint32_t>::max();

// Whether all of this may be held at the same time, where shared holders have `capacity` units.
inline bool may_be_held_together(std::span<const Holding> all, std::uint32_t capacity) {
  std::uint64_t units = 0;
  std::uint64_t exclusive = 0;
  for (const Holding& holding : all) {
    units += holding.units;
    if (holding.mode == Mode::exclusive) exclusive += holding.units;
  }
  return exclusive == 0 ? units <= capacity : units == 1;
}

template <class A>
concept SharedAlgorithm = MutexAlgorithm<A> &&
    requires(A a, const A ca, Mode mode, const typename A::Options& options,
             Effects<typename A::Message>& fx) {
  A{View{}, options, Holding{}};
  { A::kModes[0] } -> std::convertible_to<Mode>;  // What can be asked for.
  a.request(mode, fx);  // REQUIRES: may_request(), and mode is one of kModes.
  { ca.may_request() } -> std::same_as<bool>;
  { ca.holding() } -> std::same_as<Holding>;
  { ca.capacity() } -> std::same_as<std::uint32_t>;  // Units that may be inside, shared.
};

// Whether fences grow from each entry to the next of that mode and to those that it excludes.
// Entries that may be inside together come in any order.
constexpr bool excludes_all(Mode mode, std::uint32_t capacity) {
  return mode == Mode::exclusive || capacity == 1;
}

}  // namespace hapax
