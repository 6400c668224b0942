#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/number.h"
#include "console/show.h"
#include "console/signals.h"
#include "jobs/attend.h"
#include "jobs/open_file.h"
#include "jobs/pipe.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

struct LockArguments {
  Wanted wanted;
  std::optional<int> descriptor;
  bool input = false;
  bool json = false;
};

void say_it_is_ours(const LockArguments& a, const std::string& fence, std::string_view until) {
  if (a.json) {
    print_json({{"lock", a.wanted.name}, {"fence", fence}});
  } else {
    show("{} is ours, fence {}; {} gives it back\n", a.wanted.name, fence, until);
  }
  std::fflush(stdout);
}

// Throws Failure if it is not had in time.
void take(const LockArguments& a, const Hold& held) {
  if (held.is_held()) return;
  throw Failure{kConflict,
                fmt::format("somebody else has {}; `hapax who` says who", a.wanted.name)};
}

int hold(const LockArguments& a) {
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::signal(SIGTTIN, SIG_IGN);
  Hold held{a.wanted, signals};
  take(a, held);
  const bool listens = a.input || isatty(STDIN_FILENO) == 1;
  say_it_is_ours(a, text_of(held.fence()),
                 listens ? "^C or the end of standard input" : "SIGTERM or ^C");
  hold_until(signals, {held.lost()}, listens ? STDIN_FILENO : -1);
  if (held.lost().stop_requested()) {
    throw Failure{kLost, fmt::format("{} is lost: {}", a.wanted.name, why_lost(held.client()))};
  }
  return kHolds;
}

// What goes on in the background: nothing of ours that whoever started us could wait for.
void leave_terminal() {
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  if (null > STDERR_FILENO) close(null);
}

// In a process of its own, which outlives the command.
int hold_while_open(const LockArguments& a, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // Until it is ours.
  setsid();
  OpenFile file{*a.descriptor};
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  const Hold held{a.wanted, signals};
  take(a, held);
  say_it_is_ours(a, text_of(held.fence()), fmt::format("closing descriptor {}", *a.descriptor));
  prctl(PR_SET_PDEATHSIG, 0);
  leave_terminal();
  (void)!write(ready, "", 1);
  close(ready);
  hold_until(signals, {held.lost(), file.closed()}, -1);
  return kHolds;
}

// Waits until another process holds it, or has given up.
int hold_by_descriptor(const LockArguments& a) {
  const Pipe ready = make_pipe();
  const pid_t holder = fork();  // Before there are threads.
  if (holder < 0) fail_by_errno("fork");
  if (holder == 0) {
    close(ready.read);
    return hold_while_open(a, ready.write);
  }
  close(ready.write);
  char byte = 0;
  ssize_t count = 0;
  while ((count = read(ready.read, &byte, 1)) < 0 && errno == EINTR) {
  }
  if (count == 1) return kHolds;
  int status = 0;
  while (waitpid(holder, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

int run_lock(const LockArguments& a) {
  check(a.wanted);
  return a.descriptor ? hold_by_descriptor(a) : hold(a);
}

Command describe_lock(LockArguments& a) {
  Command command{"lock", "Hold a lock until ^C, or while a descriptor is open", kLockGroup};

  add_wanted(command, a.wanted);
  command.add("--fd", [&a](const std::string& word) { a.descriptor = std::stoi(word); },
              "Return when it is ours; hold it as long as this descriptor, of a file that the "
              "caller has opened for writing, is open anywhere, like flock(1)",
              {.check = whole_number(0, 1'000'000), .value = "N"});
  command.add("--stdin", &a.input,
              "Give it back at the end of standard input, also if that is no terminal",
              {.excludes = {"--fd"}});
  command.add("--json", &a.json, "One JSON object when it is ours");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax lock maintenance\n"
          "  sleep 60 | hapax lock maintenance --stdin --wait 5\n"
          "  exec 9>/tmp/nightly; hapax lock nightly --fd 9 && ./report.sh; exec 9>&-\n"
          "Nobody is told if the lock of a descriptor is lost, as when its daemon ends: what it "
          "guards\nhas to check the fence. `hapax run` ends its command then.\n"} +
      kLockStatuses;
  return command;
}

}  // namespace

Command lock_command() { return make_command(describe_lock, run_lock); }

}  // namespace hapax::cli
