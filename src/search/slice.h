// Some states that follow one another, on their way through a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/model.h"

namespace hapax {

// Their steps, as the model tells them.
struct SearchSlice {
  // Of one of the states.
  struct Expanded {
    std::uint32_t end;  // Where its steps end, among those of the slice …
    std::uint32_t end_of_failures;
    bool goes_on;  // One of its steps happens eventually.
  };

  std::uint32_t begin = 0, end = 0;
  Steps steps;
  std::vector<Expanded> expanded;
  bool is_too_narrow = false;  // The rows are, for the state after the last expanded.

  // Steps, without those after a finding.
  std::size_t size() const { return expanded.empty() ? 0 : expanded.back().end; }
};

}  // namespace hapax
