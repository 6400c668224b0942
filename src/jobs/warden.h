// A small process that ends a job should we not be able to.
//
// If we are killed, the warden kills the job's group; it shares our descriptors, so that the socket
// to the daemon, and with it the lock, outlives the group. If we only sleep, and the daemon is gone
// or too far away to end the group, the warden does so when what we were granted is no longer good.
#pragma once

#include <chrono>
#include <initializer_list>
#include <sys/types.h>

#include "jobs/pipe.h"

namespace hapax::cli {

class Warden {
 public:
  Warden() = default;
  ~Warden() { dismiss(); }
  Warden(const Warden&) = delete;
  Warden& operator=(const Warden&) = delete;

  // Over the process group of `leader`. It acts by its own clock only if the daemon at the other
  // end of `connection` is remote, or has hung up. `others` are none of its business.
  void start(pid_t leader, std::initializer_list<Pipe> others, int connection, bool is_remote);
  // So long the job may run without further word from us.
  void let_run_for(std::chrono::milliseconds valid) noexcept;
  void dismiss() noexcept;

  bool is(pid_t pid) const { return pid == pid_; }
  void was_reaped() { pid_ = -1; }  // By who waits for all children.

 private:
  pid_t pid_ = -1;
  int leash_ = -1;  // It acts when this is let go, or at the time that was said last.
};

}  // namespace hapax::cli
