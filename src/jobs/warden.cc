#include "jobs/warden.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process_group.h"
#include "base/send_signal.h"
#include "jobs/job.h"

namespace hapax::cli {
namespace {

// Until the leash is let go, or until the time that it was told last. As long as a daemon on this
// machine has not hung up, it is not time: it ends the group itself before it frees what is held.
void wait_for_end(int leash, int connection, bool is_remote) {
  const int clock = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
  std::array<pollfd, 3> ears{
      {{leash, POLLIN, 0}, {is_remote ? clock : -1, POLLIN, 0}, {connection, 0, 0}}};
  for (;;) {
    if (poll(ears.data(), ears.size(), -1) < 0) continue;
    if (ears[1].revents != 0) return;
    if (ears[2].revents != 0) {
      ears[2].fd = -1;
      ears[1].fd = clock;
    }
    if (ears[0].revents == 0) continue;
    itimerspec when{};
    std::int64_t deadline_ms = 0;
    const ssize_t count = read(leash, &deadline_ms, sizeof deadline_ms);
    if (count == 0) return;
    if (count != sizeof deadline_ms) continue;
    when.it_value.tv_sec = deadline_ms / 1'000;
    when.it_value.tv_nsec = deadline_ms % 1'000 * 1'000'000;
    timerfd_settime(clock, TFD_TIMER_ABSTIME, &when, nullptr);
  }
}

// When it ends the group is dead, however long that takes.
[[noreturn]] void guard(const ProcessGroup& group, int leash, int connection, bool is_remote) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  setpgid(0, 0);
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (null < 0 || dup2(null, fd) < 0) close(fd);
  }
  wait_for_end(leash, connection, is_remote);
  // This allocates; glibc allows that in the child of a process with threads.
  (void)group.end(kForAll);
  _exit(0);
}

}  // namespace

void Warden::start(pid_t leader, std::initializer_list<Pipe> others, int connection,
                   bool is_remote) {
  const auto group = ProcessGroup::led_by(leader, geteuid());
  if (!group) return;  // It has been killed already.
  // Not a pipe: writing to a warden that was killed must not kill us.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) fail_by_errno("socketpair");
  const Pipe leash{ends[0], ends[1]};
  pid_ = fork();
  if (pid_ == 0) {
    for (const Pipe& pipe : others) {
      close(pipe.read);
      close(pipe.write);
    }
    close(leash.write);
    guard(*group, leash.read, connection, is_remote);
  }
  close(leash.read);
  leash_ = leash.write;
}

void Warden::let_run_for(std::chrono::milliseconds valid) noexcept {
  if (leash_ < 0) return;
  constexpr std::chrono::milliseconds kToDie{10};
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const std::int64_t deadline_ms =
      now.tv_sec * 1'000 + now.tv_nsec / 1'000'000 + (valid - kToDie).count();
  // If there is no room, the warden has yet to read what was said before, which is earlier.
  (void)send(leash_, &deadline_ms, sizeof deadline_ms, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void Warden::dismiss() noexcept {
  if (pid_ > 0) {
    signal_process(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  if (leash_ >= 0) close(leash_);
  leash_ = -1;
}

}  // namespace hapax::cli
