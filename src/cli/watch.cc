#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/changes.h"
#include "cli/commands.h"
#include "cli/people.h"
#include "console/exit_status.h"
#include "console/signals.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

struct WatchArguments {
  std::string name;
  std::string address;
  bool json = false;
};

LockInfo look(Client& client, const std::string& name) {
  try {
    for (LockInfo& lock : client.who(name)) {
      if (lock.name == name) return std::move(lock);
    }
  } catch (const std::system_error& e) {
    fail(e, name);
  }
  LockInfo vacant;
  vacant.name = name;
  return vacant;
}

std::string line_of(const LockInfo& lock) {
  std::string line = lock.name + ' ';
  if (lock.holder) {
    line += fmt::format("held by {}, fence {}", show_person(*lock.holder),
                        lock.holder->fence ? text_of(*lock.holder->fence) : "?");
  } else if (!lock.sharers.empty()) {
    for (std::size_t i = 0; i < lock.sharers.size(); ++i) {
      line += (i == 0 ? "shared by " : ", ") + show_person(lock.sharers[i]);
    }
    if (lock.more_sharers > 0) line += fmt::format(" and {} more", lock.more_sharers);
  } else {
    line += "VACANT";
  }
  for (std::size_t i = 0; i < lock.waiters.size(); ++i) {
    line += (i == 0 ? "; waiting: " : ", ") + show_person(lock.waiters[i]);
  }
  if (lock.more_waiters > 0) line += fmt::format(" and {} more", lock.more_waiters);
  return line;
}

int run_watch(const WatchArguments& a) {
  require_lock_name(a.name);
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  Client client = reach(a.address);
  return show_changes(signals, a.json, [&] {
    const LockInfo lock = look(client, a.name);
    return Sight{line_of(lock), json_of(lock)};  // The line says all but how long it has been so.
  });
}

Command describe_watch(WatchArguments& a) {
  Command command{"watch", "A line whenever a lock's holder or waiters change, until ^C",
                  kLockGroup};

  command.add("NAME", &a.name, "Any name, e.g. orders/42", {.required = true});
  add_address(command, &a.address);
  command.add("--json", &a.json, "A JSON object a line");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax watch backup\n"
          "  hapax watch backup --json\n"
          "Looks five times a second: what is shorter may go unseen.\n"} +
      kShowStatuses;
  return command;
}

}  // namespace

Command watch_command() { return make_command(describe_watch, run_watch); }

}  // namespace hapax::cli
