#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <stop_token>
#include <string>
#include <unistd.h>

#include "cli/command.h"
#include "cli/exit_status.h"
#include "cli/json.h"
#include "cli/signals.h"
#include "cli/waiting.h"

namespace hapax::cli {
namespace {

constexpr int kLook_ms = 200;

struct LockArguments {
  Wanted wanted;
  bool json = false;
};

// Until a signal, the end of standard input, or the loss of the lock; the status.
int hold(Hold& held, Signals& signals) {
  Bell bell;
  const std::stop_callback on_loss{held.lost(), [&] { bell.ring(); }};
  std::array<pollfd, 3> ears{{{signals.descriptor(), POLLIN, 0},
                              {bell.descriptor(), POLLIN, 0},
                              {STDIN_FILENO, POLLIN, 0}}};
  for (;;) {
    poll(ears.data(), ears.size(), -1);
    if (held.lost().stop_requested()) {
      throw Failure{kLost, fmt::format("{} is lost: the daemon is gone or silent", held.name())};
    }
    if (signals.take()) return kHolds;
    if (ears[2].revents == 0) continue;
    std::array<char, 4096> ignored;
    const ssize_t count = read(STDIN_FILENO, ignored.data(), ignored.size());
    if (count < 0 && errno == EIO) {
      wait_for(signals, &bell, kLook_ms);  // In the background, what is typed is not for us.
      continue;
    }
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return kHolds;
  }
}

int run_lock(const LockArguments& a) {
  check(a.wanted);
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::signal(SIGTTIN, SIG_IGN);
  Hold held{a.wanted, signals};
  if (!held.is_held()) {
    throw Failure{kConflict,
                  fmt::format("somebody else has {}; `hapax who` says who", a.wanted.name)};
  }
  const std::string fence = text_of(held.fence());
  if (a.json) {
    print_json({{"lock", a.wanted.name}, {"fence", fence}});
  } else {
    fmt::print("{} is ours, fence {}; ^C or the end of standard input gives it back\n",
               a.wanted.name, fence);
  }
  std::fflush(stdout);
  return hold(held, signals);
}

}  // namespace

void add_lock(CLI::App& app, Outcome& outcome) {
  CLI::App* command =
      app.add_subcommand("lock", "Hold a lock until ^C or the end of standard input");
  command->group(kLockGroup);
  auto a = std::make_shared<LockArguments>();
  add_wanted(*command, a->wanted);
  command->add_flag("--json", a->json, "One JSON object when it is ours");
  command->footer(std::string{"Examples:\n"
                              "  hapax lock maintenance\n"
                              "  sleep 60 | hapax lock maintenance --wait 5\n"} +
                  kLockStatuses);
  command->callback([a, &outcome] { outcome.status = run_lock(*a); });
}

}  // namespace hapax::cli
