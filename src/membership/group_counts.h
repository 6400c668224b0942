// What a member counts of its views, its lease and its engine, since it started.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/histogram.h"

namespace hapax {

struct GroupCounts {
  Histogram commits{bounds::kUpkeep};       // That were answered, however.
  std::array<std::uint64_t, 3> outcomes{};  // Of the commits, by Outcome.
  Histogram view_changes{bounds::kUpkeep};  // How long there was no view before one began.
  std::uint64_t lease_losses = 0;
};

}  // namespace hapax
