// A command that takes the place of the process that asked for the lock, and has its id, as with
// `flock -F`. A process beside it holds the lock, and hears when nothing of the command is left.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "console/signals.h"
#include "jobs/attend.h"

namespace hapax::cli {

class Successor {
 public:
  // Forks, and comes back in the process beside. The other one waits: it becomes the command when
  // it is told to, or ends as we do. Throws Failure. REQUIRES: there are no threads yet.
  explicit Successor(const std::vector<std::string>& command);
  ~Successor();
  Successor(const Successor&) = delete;
  Successor& operator=(const Successor&) = delete;

  // Lets the command begin, with our environment as far as it is about the lock. It and all that it
  // starts inherit `connection`, so that the lock outlives us. Throws Failure.
  void begin(int connection);
  // True when the last process that has inherited it has ended, or closed its descriptors; false if
  // they must end before that, because reliance ends or somebody ends us.
  bool attend(Reliance& reliance, Signals& signals);
  // SIGTERM and, after `grace`, SIGKILL to the command itself; we cannot tell its children from
  // strangers.
  void end(std::chrono::milliseconds grace);

 private:
  bool is_gone(int wait_ms) const;

  int line_ = -1;   // To the other process. Its end is open as long as anything of the command is.
  int other_ = -1;  // The other process.
};

}  // namespace hapax::cli
