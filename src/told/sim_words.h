// A simulated run as a trace: what is written above it, so that its reader can have the same again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/options.h"
#include "sim/recorder.h"
#include "voting/voting_sets.h"

namespace hapax {

// A run in the words of the command line.
struct SimWords {
  std::string algorithm;
  std::uint64_t requests = 1000;
  std::uint64_t requesters = 0;
  std::string load = "low";
  std::string latency = "const:1ms";
  std::string inside = "5ms";
  std::vector<std::string> faults{};
  std::string voting_sets = "smallest";
  bool say_denied = false;
  double readers = 0;
  std::uint64_t units = 1;
};

// Null sets: the algorithm's own. REQUIRES: there is such an algorithm.
SimRecorder recorder_of(const SimWords& words, const SimOptions& options, const VotingSets* sets);

}  // namespace hapax
