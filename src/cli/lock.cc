#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "console/signals.h"
#include "jobs/attend.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

struct LockArguments {
  Wanted wanted;
  bool json = false;
};

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
    show("{} is ours, fence {}; ^C or the end of standard input gives it back\n", a.wanted.name,
         fence);
  }
  std::fflush(stdout);
  hold_until(signals, {held.lost()});
  if (held.lost().stop_requested()) {
    throw Failure{kLost,
                  fmt::format("{} is lost: the daemon ends, is gone or silent", a.wanted.name)};
  }
  return kHolds;
}

Command describe_lock(LockArguments& a) {
  Command command{"lock", "Hold a lock until ^C or the end of standard input", kLockGroup};

  add_wanted(command, a.wanted);
  command.add("--json", &a.json, "One JSON object when it is ours");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax lock maintenance\n"
          "  sleep 60 | hapax lock maintenance --wait 5\n"} +
      kLockStatuses;
  return command;
}

}  // namespace

Command lock_command() { return make_command(describe_lock, run_lock); }

}  // namespace hapax::cli
