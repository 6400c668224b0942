// A round of a search by several threads (search_together.cc): what each has expanded, and what was
// new in each region of the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hapax {

// Some states that follow one another, expanded by one thread.
struct SearchShare {
  struct Range {
    std::uint32_t begin, end;
  };

  std::vector<Range> mailed;  // Of the steps in the mail, its own; by region.
  unsigned desk = 0;          // Whose mail that is.
  std::uint32_t begin = 0, end = 0;
  std::size_t steps = 0;
  std::uint32_t first = 0;  // The number of the first state that is new.
};

// A region of the table, in which one thread alone looks rows up.
struct alignas(64) SearchRegion {
  // A state that is new.
  struct Newcomer {
    std::uint32_t slot;  // Where it is claimed.
    std::uint32_t nth;   // The first step that led to it, of its share …
    std::uint32_t from;  // … and from where.
  };

  std::vector<Newcomer> newcomers{};
  std::vector<std::uint64_t> rows{};   // Theirs.
  std::vector<std::uint32_t> ends{};   // Where each share's newcomers end.
  std::vector<std::uint32_t> marks{};  // Of steps that are about to be looked up.
  bool is_layered = true;

  std::uint32_t begin(std::size_t share) const { return share == 0 ? 0 : ends[share - 1]; }
};

}  // namespace hapax
