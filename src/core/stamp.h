// Lamport's total order of requests: by clock; equal clocks by id, so that both sides agree.
#pragma once

#include <bit>
#include <compare>
#include <fmt/core.h>
#include <limits>

#include "base/check.h"
#include "base/ids.h"
#include "base/record.h"

namespace hapax {

struct Stamp {
  Clock clock{};
  NodeId node{};

  HAPAX_RECORD(Stamp, clock, node)

  friend constexpr auto operator<=>(const Stamp&, const Stamp&) = default;
};

// Whether a clock can have been reached by counting. A peer that sends a larger one is broken or
// hostile, and believing it would use up our own clock.
constexpr bool is_plausible(Clock clock, std::uint32_t size) {
  return number(clock) < std::uint64_t{1} << (62 - std::bit_width(size));
}

// Stamps as turns, in the same order: no two requests share one, and a later request has a larger
// turn.
inline Turn turn_of(Stamp stamp, std::uint32_t size) {
  HAPAX_CHECK(number(stamp.clock) < std::numeric_limits<std::uint64_t>::max() / size);
  return Turn{number(stamp.clock) * size + number(stamp.node)};
}

}  // namespace hapax

template <>
struct fmt::formatter<hapax::Stamp> : fmt::formatter<std::uint64_t> {
  template <class Context>
  auto format(hapax::Stamp stamp, Context& context) const {
    return fmt::format_to(context.out(), "({},{})", stamp.clock, stamp.node);
  }
};
