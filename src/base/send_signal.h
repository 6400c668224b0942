// kill() for one process or one group that is known. What a failed fork() or an empty file leaves
// in a pid, -1 or 0, means every process that there is, or our own group: here that is our own
// broken invariant.
#pragma once

#include <csignal>
#include <sys/types.h>

#include "base/check.h"

namespace hapax {

// False, and errno: as kill() has them.
inline bool signal_process(pid_t pid, int signal) {
  HAPAX_CHECK(pid > 1);
  return ::kill(pid, signal) == 0;
}
inline bool signal_group(pid_t leader, int signal) {
  HAPAX_CHECK(leader > 1);
  return ::kill(-leader, signal) == 0;
}

}  // namespace hapax
