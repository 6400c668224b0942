// What a simulated run is made of. Same options, same seed: the same run, bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/duration.h"
#include "base/ids.h"
#include "core/mutex_algorithm.h"
#include "sim/fault.h"
#include "sim/latency.h"
#include "sim/workload.h"

namespace hapax {

class SimRecorder;

struct SimOptions {
  std::uint32_t n = 10;
  std::uint64_t entries = 1000;  // How many critical sections are asked for in all.
  std::uint64_t warmup = 0;      // Under low load: how many of them come before counting begins.
  std::uint32_t requesters = 0;  // How many processes ask, spread over all; 0: all of them.
  Load load;
  Draw draw = Draw::uniform;
  Latency latency;
  Nanos inside = 5 * kMillisecond;
  Channels channels = Channels::fifo;
  std::vector<Fault> faults;
  std::uint64_t seed = 1;
  double readers = 0;  // Where there are readers: how many of all requests only read.
  NodeId holder{};
  bool held = false;
  // Load `pairs`: which pairs (first inside, then waiting) are of interest.
  std::function<bool(NodeId, NodeId)> pair_filter;
  // Takes every step twice, from a copy, and sends every message through the codec: a step must be
  // deterministic and depend on nothing but the state and the message.
  bool self_check = false;
  // Records the run; null if nobody does.
  SimRecorder* recorder = nullptr;
};

}  // namespace hapax
