// What a user may choose about mutual-exclusion algorithms that come in more than one form. The
// MutexInfo of each says which of these it takes; the others leave it cold.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "core/make.h"

namespace hapax {

class VotingSets;

struct MutexChoices {
  const VotingSets* voting_sets =
      nullptr;                   // Null: the algorithm's own. They outlive who uses them.
  bool say_denied = false;       // Tell those who have to queue.
  std::uint32_t units = 1;       // How many may be inside at a time …
  std::uint32_t per_member = 0;  // … and how many of them at one member; 0: all.

  std::uint32_t most_units_of_a_member() const {
    return per_member == 0 ? units : std::min(per_member, units);
  }
};

// What they are to an algorithm: all of them, if it takes any.
template <class A>
typename OptionsOf<A>::Type options_from(const MutexChoices& choices) {
  if constexpr (std::same_as<typename OptionsOf<A>::Type, MutexChoices>) {
    return choices;
  } else {
    return {};
  }
}

}  // namespace hapax
