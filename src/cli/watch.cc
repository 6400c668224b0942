#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/changes.h"
#include "cli/commands.h"
#include "cli/watch_trace.h"
#include "console/exit_status.h"
#include "console/signals.h"
#include "group_commands/people.h"
#include "group_json/group_json.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

struct WatchArguments {
  std::string name;
  std::string address;
  bool json = false;
  bool trace = false;
  RecordArguments recording{};
};

bool is_in_use(const LockInfo& lock) {
  return lock.holder || !lock.sharers.empty() || !lock.waiters.empty();
}

// Those that are in use; of those that were, once that they are not. `seen`: which these are.
std::vector<LockInfo> look(Client& client, const std::string& name, std::set<std::string>& seen) {
  std::vector<LockInfo> locks;
  try {
    locks = client.who(name);
  } catch (const std::system_error& e) {
    fail(e, name);
  }
  std::erase_if(locks, [](const LockInfo& lock) { return !is_in_use(lock); });
  std::set<std::string> gone = seen;
  for (const LockInfo& lock : locks) gone.erase(lock.name);
  seen.clear();
  for (const LockInfo& lock : locks) seen.insert(lock.name);
  for (const std::string& vacant : gone) locks.emplace_back().name = vacant;
  return locks;
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

int run_watch(WatchArguments a) {
  find_cell(a.address, a.name);
  require_lock_name(a.name);
  if (a.trace) {
    a.recording.name = a.name;
    a.recording.address = a.address;
    return run_watch_trace(a.recording);
  }
  if (!a.recording.file.empty()) throw Failure{kBadUsage, "FILE is for --trace"};
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  Client client = reach(a.address, Purpose::looks);
  std::set<std::string> seen;
  const bool is_one = a.name.find_first_of("*?") == std::string::npos;
  return show_changes(signals, a.json, [&] {
    if (is_one) seen.insert(a.name);  // Said to be vacant even if nobody ever had it.
    std::vector<Sight> sights;
    for (const LockInfo& lock : look(client, a.name, seen)) {
      // The line says all but how long it has been so.
      sights.push_back({lock.name, line_of(lock), json_of(lock)});
    }
    return sights;
  });
}

Command describe_watch(WatchArguments& a) {
  Command command{"watch", "A line whenever the holder or waiters of a lock change, until ^C",
                  kLockGroup};

  command.add("NAME", &a.name, "Any name, as orders/42, or a pattern, as 'orders/*'",
              {.required = true});
  add_address(command, &a.address, Purpose::looks);
  command.add("--json", &a.json, "A JSON object a line");
  command.add("--trace", &a.trace,
              "Record its messages at all members instead, as a trace that `hapax replay`, `hapax "
              "trace` and the page open");
  command.add("--for", &a.recording.duration, "Of --trace: for so long, 60s at most",
              {.shows_default = true, .needs = {"--trace"}});
  command.add("FILE", &a.recording.file, "Of --trace: where to; standard output if not said");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax watch backup\n"
          "  hapax watch 'orders/*' --json\n"
          "  hapax watch --trace backup backup.trace --for 10s\n"
          "Looks five times a second: what is shorter may go unseen. --trace misses nothing: every "
          "message of\nthe lock among its members, as it was. What a client does with a lock that "
          "it "
          "keeps is no message.\n"} +
      kShowStatuses;
  return command;
}

}  // namespace

Command watch_command() { return make_command(describe_watch, run_watch); }

}  // namespace hapax::cli
