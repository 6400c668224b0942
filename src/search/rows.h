// States as rows of 64-bit words. Most have one or two, and a step to one takes a few nanoseconds:
// what longer rows need is kept out of its way.
#pragma once

#include <cstdint>

namespace hapax {

void copy_long_row(std::uint64_t* to, const std::uint64_t* from, std::uint32_t width);
bool are_equal_long_rows(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t width);
std::uint64_t hash_of_long_row(const std::uint64_t* row, std::uint32_t width);

inline void copy_row(std::uint64_t* to, const std::uint64_t* from, std::uint32_t width) {
  if (width > 2) return copy_long_row(to, from, width);
  to[0] = from[0];
  if (width == 2) to[1] = from[1];
}

inline bool are_equal_rows(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t width) {
  if (width > 2) return are_equal_long_rows(a, b, width);
  // Without a branch: which it is often depends on chance.
  return width == 1 ? a[0] == b[0] : ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
}

inline constexpr std::uint64_t kFirstSum = 0x9e3779b97f4a7c15;
inline std::uint64_t next_sum(std::uint64_t sum, std::uint64_t word) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(sum ^ word) * 0xd6e8feb86659fd93;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// All of its bits depend on all of the row.
inline std::uint64_t hash_of_row(const std::uint64_t* row, std::uint32_t width) {
  if (width > 2) return hash_of_long_row(row, width);
  const std::uint64_t sum = next_sum(kFirstSum, row[0]);
  return width == 1 ? sum : next_sum(sum, row[1]);
}

}  // namespace hapax
