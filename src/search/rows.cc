#include "search/rows.h"

#include <algorithm>

namespace hapax {

void copy_long_row(std::uint64_t* to, const std::uint64_t* from, std::uint32_t width) {
  std::copy_n(from, width, to);
}

bool are_equal_long_rows(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t width) {
  return std::equal(a, a + width, b);
}

std::uint64_t hash_of_long_row(const std::uint64_t* row, std::uint32_t width) {
  std::uint64_t sum = kFirstSum;
  for (std::uint32_t w = 0; w < width; ++w) sum = next_sum(sum, row[w]);
  return sum;
}

}  // namespace hapax
