// A command as a job: a process group of its own that ends as a whole, however it ends.
//
// Processes that the command leaves behind are adopted by us (PR_SET_CHILD_SUBREAPER) and so can be
// found. If we are killed ourselves, the warden ends the job. If the warden is killed as well, the
// lock still outlives the job: the command has inherited the socket, as it would from flock(1), and
// so has all that it starts.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "handles/job_tie.h"
#include "jobs/warden.h"

namespace hapax::cli {

// For what a job leaves behind: until it is gone, however long that takes …
inline constexpr std::chrono::milliseconds kForAll{24 * 3'600'000};
// … and as long as that takes nobody by surprise.
inline constexpr std::chrono::milliseconds kToBeGone{1'000};

// What who runs a job listens to; but for those about the job itself it hears them, too.
inline constexpr std::initializer_list<int> kForAJob{SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                                                     SIGUSR2, SIGTSTP, SIGCHLD, SIGTTOU};

class Job {
 public:
  // Whether the command inherits the connection of `tie`.
  enum class Connection { inherited, closed };

  // Starts it, with `signals` blocked as they were for us; it may run for `valid` without further
  // word from us. Throws Failure: not found, not executable, cannot fork. REQUIRES: `tie` outlives
  // it.
  Job(const std::vector<std::string>& command, const sigset_t& signals, const detail::JobTie& tie,
      std::chrono::milliseconds valid, Connection connection = Connection::inherited);
  ~Job();  // Kills what is left, unless it was let go.
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // To the whole group; a stopped one is woken to hear it, unless it is told to stop.
  void signal(int signal) noexcept;
  // Collects what has ended. What the command returned, as a shell would report it, once it has.
  std::optional<int> reap();
  // The command has stopped (^Z, or it wanted the terminal): suspends us as well, as its shell
  // expects. Comes back when we are continued; the command goes on if it may, which is asked while
  // it still stands still.
  bool has_stopped() const { return stopped_by_ != 0; }
  void suspend(const std::function<bool()>& may_go_on);

  // Whether any process of it is left.
  bool is_over();
  // SIGTERM to those left and, after `grace`, SIGKILL; at most `patience` more until they are gone.
  // False if some are left even then.
  bool end(std::chrono::milliseconds grace, std::chrono::milliseconds patience);
  // After that: why they are left, for people.
  std::string why_left() const;
  // How long it may run without further word from us.
  void may_run_for(std::chrono::milliseconds valid) noexcept { warden_.let_run_for(valid); }
  // What the command left behind is not our business.
  void let_go() noexcept { is_let_go_ = true; }

 private:
  void kill_all() noexcept;
  bool in_foreground() const noexcept;  // The terminal is ours to give.
  void give_terminal() noexcept;
  void take_terminal() noexcept;
  bool wait_until_over(std::chrono::milliseconds patience);

  const detail::JobTie& tie_;
  pid_t pid_ = -1;  // Of the command, and of its group.
  Warden warden_;
  int terminal_ = -1;    // That controls us, if one does.
  bool adopts_ = false;  // All our children belong to the job.
  bool is_let_go_ = false;
  bool has_terminal_ = false;  // The group is in the foreground.
  int stopped_by_ = 0;
  std::optional<int> status_;
};

}  // namespace hapax::cli
