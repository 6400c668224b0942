// What a member counts of its views, its lease and its engine, since it started.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/histogram.h"

namespace hapax {

struct GroupCounts {
  Histogram commits{bounds::kUpkeep};       // That were answered, however.
  std::array<std::uint64_t, 3> outcomes{};  // Of the commits, by Outcome.
  Histogram view_changes{bounds::kUpkeep};  // How long there was no view before one began.
  std::uint64_t lease_losses = 0;

  void note_commit(std::chrono::nanoseconds took) {
    last_commits[next_commit++ % last_commits.size()] = took;
    commits.note(took);
  }
  // The median of the last ones.
  std::chrono::nanoseconds typical_commit() const {
    const std::size_t count = std::min(next_commit, last_commits.size());
    if (count == 0) return {};
    auto sorted = last_commits;
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
    return sorted[count / 2];
  }
  std::array<std::chrono::nanoseconds, 15> last_commits{};
  std::size_t next_commit = 0;
};

}  // namespace hapax
