// What is to be explored of a fixed list.
#pragma once

#include <cstdint>
#include <optional>

#include "listcheck/list_rules.h"

namespace hapax {

struct ListCheckOptions {
  std::uint32_t n = 3;
  std::uint32_t entries = 1;   // How often each asks.
  std::uint32_t restarts = 1;  // Of all members together.
  std::uint32_t flaps = 0;     // Links that break although both ends live.
  bool files_may_go = false;   // A restarted member may have lost its state file.
  std::optional<ListRule> without{};
  std::uint64_t most_bytes = std::uint64_t{4} << 30;

  bool leaves_out(ListRule rule) const { return without == rule; }
};

}  // namespace hapax
