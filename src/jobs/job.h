// A command as a job: a process group of its own that ends as a whole, however it ends.
//
// Whoever the command leaves behind is adopted by us (PR_SET_CHILD_SUBREAPER) and so can be found.
// Should we be killed ourselves, a small process of ours, the warden, kills the group; it shares
// our descriptors, so that the socket to the daemon — and with it the lock — outlives the group.
// Should we only sleep, and the daemon be gone or too far away to end the group, the warden does so
// when what we were granted is no longer good. Should the warden be killed as well, the lock still
// does: the command has inherited the socket, as it would from flock(1), and so has whoever it
// starts.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "client/job_tie.h"

namespace hapax::cli {

class Job {
 public:
  // Whether the command has the connection that `tie` is about.
  enum class Connection { inherited, closed };

  // Starts it, with `signals` held back as they were for us. Throws Failure: not found, not
  // executable, cannot fork.
  Job(const std::vector<std::string>& command, const sigset_t& signals, const detail::JobTie& tie,
      Connection connection = Connection::inherited);
  ~Job();  // Kills what is left, unless it was let go.
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // To the whole group; a stopped one is woken to hear it, unless it is told to stop.
  void signal(int signal) noexcept;
  // Collects what has ended. What the command returned, as shells have it, once it has.
  std::optional<int> reap();
  // The command has stopped (^Z, or it wanted the terminal): suspends us as well, as its shell
  // expects. Comes back when we are continued; the command goes on if it may.
  bool has_stopped() const { return stopped_by_ != 0; }
  void suspend(const std::function<bool()>& may_go_on);

  // Whether anybody of it is left.
  bool is_over();
  // SIGTERM to those left and, after `grace`, SIGKILL; at most `patience` more until they are gone.
  void end(std::chrono::milliseconds grace, std::chrono::milliseconds patience);
  // So long it may run without further word from us.
  void may_run_for(std::chrono::milliseconds valid) noexcept;
  // What the command left behind is none of ours.
  void let_go() noexcept { is_let_go_ = true; }

 private:
  struct Pipe {
    int read = -1, write = -1;
  };
  static Pipe make_pipe();
  // `others`: not for the warden.
  void start_warden(std::initializer_list<Pipe> others, int connection, bool is_remote);
  void dismiss_warden() noexcept;
  void kill_all() noexcept;
  bool in_foreground() const noexcept;  // The terminal is ours to give.
  void give_terminal() noexcept;
  void take_terminal() noexcept;
  bool wait_until_over(std::chrono::milliseconds patience);

  pid_t pid_ = -1;  // Of the command, and of its group.
  pid_t warden_ = -1;
  int terminal_ = -1;    // That controls us, if one does.
  int leash_ = -1;       // The warden acts when it is let go, or at the time that was said last.
  bool adopts_ = false;  // All our children are of the job.
  bool is_let_go_ = false;
  bool has_terminal_ = false;  // The group is in the foreground.
  int stopped_by_ = 0;
  std::optional<int> status_;
};

}  // namespace hapax::cli
