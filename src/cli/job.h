// A command as a job: a process group of its own that ends as a whole, however it ends.
//
// Whoever the command leaves behind is adopted by us (PR_SET_CHILD_SUBREAPER) and so can be found.
// Should we be killed ourselves, a small process of ours, the warden, kills the group; it shares
// our descriptors, so that the socket to the daemon — and with it the lock — outlives the group.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace hapax::cli {

class Job {
 public:
  // Starts it, with `signals` held back as they were for us. Throws Failure: not found, not
  // executable, cannot fork.
  Job(const std::vector<std::string>& command, const sigset_t& signals);
  ~Job();  // Kills what is left.
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // To the whole group; a stopped one is woken to hear it, unless it is told to stop.
  void signal(int signal) noexcept;
  // Collects what has ended. What the command returned, as shells have it, once it has.
  std::optional<int> reap();
  // The command has stopped (^Z, or it wanted the terminal): suspends us as well, as its shell
  // expects. Comes back when we are continued.
  bool has_stopped() const { return stopped_by_ != 0; }
  void suspend();

  // Whether anybody of it is left.
  bool is_over();
  // SIGTERM to those left and, after `grace`, SIGKILL; at most `patience` more until they are gone.
  void end(std::chrono::milliseconds grace, std::chrono::milliseconds patience);

 private:
  void start_warden();
  void dismiss_warden() noexcept;
  void kill_all() noexcept;
  bool in_foreground() const noexcept;  // The terminal is ours to give.
  void give_terminal() noexcept;
  void take_terminal() noexcept;
  bool wait_until_over(std::chrono::milliseconds patience);

  pid_t pid_ = -1;  // Of the command, and of its group.
  pid_t warden_ = -1;
  int terminal_ = -1;          // That controls us, if one does.
  int leash_ = -1;             // The warden acts when it is let go.
  bool adopts_ = false;        // All our children are of the job.
  bool has_terminal_ = false;  // The group is in the foreground.
  int stopped_by_ = 0;
  std::optional<int> status_;
};

}  // namespace hapax::cli
