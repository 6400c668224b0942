// The logical ring: members in the order of their ids, the last one before the first. Those that
// are down, as far as a member knows, are skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/ids.h"
#include "election/down_list.h"

namespace hapax {

enum class Direction : std::uint8_t { ascending, descending };

constexpr bool is_valid(Direction direction) { return direction <= Direction::descending; }
constexpr std::string_view name_of(Direction direction) {
  return direction == Direction::ascending ? "ascending" : "descending";
}

// What a member of a ring election is doing.
enum class Stage : std::uint8_t {
  idle,      // Nothing is open: it follows a leader, or has heard of no election since it lost one.
  electing,  // It takes part; the end has not come by yet.
  announcing,  // It decided the election; its COORDINATOR has not come back yet.
};

constexpr bool is_valid(Stage stage) { return stage <= Stage::announcing; }
constexpr std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::idle:
      return "idle";
    case Stage::electing:
      return "electing";
    case Stage::announcing:
      return "announcing";
  }
  return "?";
}

// The next member after `self` that is not down; nothing if all others are.
inline std::optional<NodeId> successor(NodeId self, std::uint32_t size, const DownList& down,
                                       Direction direction = Direction::ascending) {
  const std::uint32_t step = direction == Direction::ascending ? 1 : size - 1;
  std::uint64_t at = number(self);
  for (std::uint32_t hop = 1; hop < size; ++hop) {
    at = (at + step) % size;
    const NodeId peer{static_cast<std::uint32_t>(at)};
    if (!down.contains(peer)) return peer;
  }
  return std::nullopt;
}

}  // namespace hapax
