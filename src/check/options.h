// What is to be explored.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"

namespace hapax {

struct CheckOptions {
  std::uint32_t n = 3;
  std::uint32_t entries = 1;  // How often each process may ask …
  bool forever = false;       // … or again and again, without end.
  Channels channels = Channels::fifo;
  NodeId holder{};
  bool held = false;
  // Where several may be inside: what each process holds as the view starts, by process. Empty: as
  // `holder` and `held` say.
  std::vector<Holding> holdings{};
  bool fences = true;  // Check that fences grow; the last one is then part of the state.
  // How often, in one run, a message may be doubled or lost, and a process crash.
  std::uint32_t duplicates = 0;
  std::uint32_t losses = 0;
  std::uint32_t crashes = 0;
  bool reduce = false;  // Leave out orders of steps that make no difference (search/reduction.h).
  unsigned threads = 1;
  std::uint64_t most_bytes = std::uint64_t{4} << 30;

  // Demand progress of the living although messages or processes are lost: shows what one loss
  // costs.
  bool expect_progress = false;

  bool has_faults() const { return duplicates + losses + crashes > 0; }
  // Nobody promises progress when messages or processes are lost.
  bool promises_progress() const { return expect_progress || (losses == 0 && crashes == 0); }
};

inline constexpr std::uint32_t kMostChecked =
    7;  // Processes: their links and releases fit in a word.

}  // namespace hapax
