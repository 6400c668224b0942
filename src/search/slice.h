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
  std::vector<std::uint64_t> hashes;  // By step; with room for more.
  std::vector<std::uint32_t> likely;  // By step: the state that it may well lead to.
  bool is_too_narrow = false;         // The rows are, for the state after the last expanded.

  // Without those after a finding.
  std::size_t size() const { return expanded.empty() ? 0 : expanded.back().end; }
};

// What of them is kept until all threads of a round are done.
struct SearchShare {
  // A step to a state that is perhaps new.
  struct Fresh {
    std::uint32_t from;
    std::uint32_t nth;  // Of the rows.
    std::uint64_t hash;
    std::size_t slot;  // Where it is claimed.
  };

  std::uint32_t begin = 0, end = 0;
  std::uint32_t reached = 0;  // The states before it are known to the model.
  bool is_claimed = false;
  bool is_layered = true;  // As far as the states were there.
  std::size_t steps = 0;
  std::vector<std::uint64_t> rows{};
  std::vector<Fresh> fresh{};
  std::uint32_t first = 0;  // The number of the first new one.
};

}  // namespace hapax
