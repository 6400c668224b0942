// `hapax sim … --trace FILE`: a simulated run as a trace that `hapax replay` plays.
#pragma once

#include <fstream>
#include <string>

#include "lab/sim.h"
#include "sim/options.h"
#include "sim/recorder.h"
#include "voting/voting_sets.h"

namespace hapax::cli {

class SimTrace {
 public:
  // Throws UsageError if the file cannot be written, or there are too many to read a trace of.
  SimTrace(const SimArguments& arguments, const SimOptions& options, const VotingSets* sets);

  SimRecorder* recorder() { return &recorder_; }
  // Plays what was recorded, and writes it with its outcomes.
  void write();

 private:
  std::string name_;
  std::ofstream file_;
  SimRecorder recorder_;
};

}  // namespace hapax::cli
