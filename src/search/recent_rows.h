// Rows that were seen lately. Of the steps of a search most lead where one shortly before them led,
// by the other order of the same two steps; here that is known without a look at the large table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/rows.h"

namespace hapax {

class RecentRows {
 public:
  // Forgets all. `width`: 64-bit words of a row.
  void clear(std::uint32_t width) {
    width_ = width;
    rows_.assign(kRows * width, 0);
    // In each place is a row that belongs elsewhere, so that it is none that is looked for there.
    std::vector<std::uint64_t> other(width, 0);
    const std::size_t home = home_of(hash_of_row(other.data(), width));
    do {
      ++other[0];
    } while (home_of(hash_of_row(other.data(), width)) == home);
    copy_row(rows_.data() + home * width, other.data(), width);
  }
  // Whether the row was seen lately. From now on it was.
  bool see(const std::uint64_t* row, std::uint64_t hash) {
    std::uint64_t* there = rows_.data() + home_of(hash) * width_;
    const bool seen = are_equal_rows(there, row, width_);
    copy_row(there, row, width_);
    return seen;
  }

 private:
  static constexpr std::uint32_t kBits = 12;  // For the first cache.
  static constexpr std::size_t kRows = std::size_t{1} << kBits;

  static std::size_t home_of(std::uint64_t hash) { return hash >> (64 - kBits); }

  std::uint32_t width_ = 1;
  std::vector<std::uint64_t> rows_;
};

}  // namespace hapax
