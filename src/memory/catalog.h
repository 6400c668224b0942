// The shared-memory algorithms by name, for commands that offer them to a person.
#pragma once

#include <array>
#include <string_view>

namespace hapax {

struct MemoryInfo {
  std::string_view name;
  std::string_view summary;
  // Why states do not come again when processes go on asking for ever. Empty if they do.
  std::string_view never_repeats = "";
};

inline constexpr MemoryInfo kDijkstraInfo{
    "dijkstra", "claim, then look at everybody; a turn breaks ties (1965)"};
inline constexpr MemoryInfo kBakeryLockInfo{
    "bakery-lock", "take a ticket above all others; the lowest goes first (1974)",
    "tickets grow as long as somebody has one"};
inline constexpr MemoryInfo kSemaphoreInfo{
    "semaphore", "a counter lowered by P and raised by V, each in one atomic step (1965)"};

inline constexpr std::array kMemoryCatalog{kDijkstraInfo, kBakeryLockInfo, kSemaphoreInfo};

}  // namespace hapax
