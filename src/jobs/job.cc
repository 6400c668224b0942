#include "jobs/job.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/send_signal.h"
#include "console/exit_status.h"
#include "console/signals.h"
#include "jobs/pipe.h"

namespace hapax::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLookWhoIsLeft{2};

// Whether the command is meant to have the terminal from the start. In `hapax run … | less` the
// reader needs it, too: there it is given when asked for.
bool is_interactive() {
  struct stat info {};
  const bool in_pipeline = fstat(STDOUT_FILENO, &info) == 0 && S_ISFIFO(info.st_mode);
  return isatty(STDIN_FILENO) == 1 && !in_pipeline;
}

// What a command is started with.
struct Start {
  char* const* argv;
  pid_t parent;
  int terminal;    // -1: not in the foreground.
  int go;          // A byte arrives when all is ready; none if the parent dies.
  int complaints;  // The error of an exec that failed.
  int connection;  // To inherit; -1: nothing.
  const sigset_t& signals;
};

// In the child. From here to exec only what a fork of a threaded process may call.
[[noreturn]] void become(const Start& start) {
  setpgid(0, 0);
  if (start.terminal >= 0) tcsetpgrp(start.terminal, getpid());
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.parent) _exit(kSystem);  // It died before we asked.
  char ready = 0;
  ssize_t count = 0;
  while ((count = read(start.go, &ready, 1)) < 0 && errno == EINTR) {
  }
  if (count != 1) _exit(kSystem);
  // Scripts use descriptors of one digit as they please; this one survives the exec.
  if (start.connection >= 0) (void)fcntl(start.connection, F_DUPFD, 10);
  sigprocmask(SIG_SETMASK, &start.signals, nullptr);
  execvp(start.argv[0], start.argv);
  const int error = errno;
  if (write(start.complaints, &error, sizeof error) < 0) _exit(kSystem);
  _exit(kNotFound);
}

// Children of this process, however they became that.
std::vector<pid_t> children() {
  std::vector<pid_t> pids;
  std::ifstream file{fmt::format("/proc/self/task/{}/children", getpid())};
  for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
  return pids;
}

}  // namespace

Job::Job(const std::vector<std::string>& command, const sigset_t& signals,
         const detail::JobTie& tie, milliseconds valid, Connection connection)
    : tie_(tie) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  // Children that we had before exec made us hapax are not part of the job.
  adopts_ = children().empty() && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
  terminal_ = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);  // None: -1.
  has_terminal_ = is_interactive() && in_foreground();
  const Pipe complaints = make_pipe();
  const Pipe go = make_pipe();
  const pid_t parent = getpid();
  const int inherited = connection == Connection::inherited ? tie.descriptor() : -1;
  pid_ = fork();
  if (pid_ < 0) fail_by_errno("fork");
  if (pid_ == 0) {
    close(go.write);
    become({argv.data(), parent, has_terminal_ ? terminal_ : -1, go.read, complaints.write,
            inherited, signals});
  }
  setpgid(pid_, pid_);  // Here as well: whichever comes first.
  if (has_terminal_) give_terminal();
  // Those who end it if we cannot know of it, and until when, before it begins.
  warden_.start(pid_, {complaints, go}, tie.descriptor(), tie.is_remote());
  may_run_for(valid);
  tie.has_job(pid_);
  close(go.read);
  const bool is_told = write(go.write, "", 1) == 1;
  close(go.write);
  close(complaints.write);
  int error = 0;
  ssize_t count = 0;
  while ((count = read(complaints.read, &error, sizeof error)) < 0 && errno == EINTR) {
  }
  close(complaints.read);
  if (is_told && count != sizeof error) return;
  warden_.dismiss();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  take_terminal();
  if (terminal_ >= 0) close(terminal_);
  const bool missing = error == ENOENT || error == ENOTDIR;
  throw Failure{
      missing ? kNotFound : kNotExecutable,
      fmt::format("{}: {}", command.front(), missing ? "command not found" : std::strerror(error))};
}

Job::~Job() {
  if (!is_let_go_) kill_all();
  warden_.dismiss();
  take_terminal();
  if (terminal_ >= 0) close(terminal_);
}

void Job::signal(int signal) noexcept {
  signal_group(pid_, signal);
  const bool is_to_end =
      signal != SIGSTOP && signal != SIGTSTP && signal != SIGUSR1 && signal != SIGUSR2;
  if (is_to_end) signal_group(pid_, SIGCONT);
}

bool Job::in_foreground() const noexcept {
  return terminal_ >= 0 && tcgetpgrp(terminal_) == getpgrp();
}

void Job::give_terminal() noexcept {
  tcsetpgrp(terminal_, pid_);
  has_terminal_ = true;
}

void Job::take_terminal() noexcept {
  // SIGTTOU is blocked, so we may although we are in the background.
  if (has_terminal_) tcsetpgrp(terminal_, getpgrp());
  has_terminal_ = false;
}

std::optional<int> Job::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
    if (warden_.is(pid)) warden_.was_reaped();
    if (pid != pid_) continue;
    if (WIFSTOPPED(status)) {
      stopped_by_ = WSTOPSIG(status);
    } else {
      status_ = WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
    }
  }
  return status_;
}

void Job::suspend(const std::function<bool()>& may_go_on) {
  const int by = std::exchange(stopped_by_, 0);
  const bool wants_terminal = by == SIGTTIN || by == SIGTTOU;
  const bool by_terminal = wants_terminal || by == SIGTSTP;
  if (!by_terminal || terminal_ < 0) return;  // The one that stopped it will continue it.
  take_terminal();
  if (!(wants_terminal && in_foreground())) {
    tie_.excuse_silence(true);
    stop_like_others();
  }
  if (in_foreground() && (wants_terminal || is_interactive())) {
    give_terminal();
  } else if (wants_terminal) {
    std::this_thread::sleep_for(milliseconds{50});  // It will ask again, perhaps in vain for ever.
  }
  // While we were stopped it may have been lost.
  const bool goes_on = may_go_on();
  tie_.excuse_silence(false);
  if (goes_on) signal_group(pid_, SIGCONT);
}

bool Job::is_over() {
  reap();
  if (!status_) return false;
  if (!adopts_) return !signal_group(pid_, 0) && errno == ESRCH;
  for (const pid_t pid : children()) {
    if (!warden_.is(pid)) return false;
  }
  // Without that file in /proc only the group can tell.
  return !signal_group(pid_, 0) && errno == ESRCH;
}

void Job::kill_all() noexcept {
  signal_group(pid_, SIGKILL);
  if (!adopts_) return;
  for (const pid_t pid : children()) {
    if (!warden_.is(pid)) signal_process(pid, SIGKILL);
  }
}

bool Job::wait_until_over(milliseconds patience) {
  const auto give_up = steady_clock::now() + patience;
  while (!is_over()) {
    if (steady_clock::now() >= give_up) return false;
    std::this_thread::sleep_for(kLookWhoIsLeft);
  }
  return true;
}

bool Job::end(milliseconds grace, milliseconds patience) {
  const auto give_up = steady_clock::now() + grace + patience;
  if (!is_over()) {
    signal(SIGTERM);
    if (adopts_) {
      for (const pid_t pid : children()) {
        if (!warden_.is(pid)) signal_process(pid, SIGTERM);  // Even those that have left the group.
      }
    }
  }
  if (wait_until_over(grace)) return true;
  // Again and again: a process that is killed may leave its own children to us. Less and less
  // often: one that has become somebody else's cannot be killed at all.
  constexpr milliseconds kSeldom{500};
  for (milliseconds look = kLookWhoIsLeft;; look = std::min(2 * look, kSeldom)) {
    kill_all();
    if (wait_until_over(look)) return true;
    if (steady_clock::now() >= give_up) return false;
  }
}

std::string Job::why_left() const {
  const bool is_foreign = !signal_group(pid_, 0) && errno == EPERM;
  return is_foreign ? "it runs as another user now, and we may not end it"
                    : "it cannot be ended (it may wait for a disk, or have changed its user)";
}

}  // namespace hapax::cli
