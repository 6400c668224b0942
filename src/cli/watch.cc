#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console/command.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/log.h"
#include "cli/people.h"
#include "jobs/reach.h"
#include "console/signals.h"
#include "jobs/waiting.h"
#include "hapax/hapax.h"

namespace hapax::cli {
namespace {

constexpr int kLookEvery_ms = 200;

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
    fail(e.code(), name);
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
  std::string last;
  for (std::optional<int> signal; !signal; signal = signals.take()) {
    const LockInfo lock = look(client, a.name);
    // Everything but how long it has been so.
    if (std::string now = line_of(lock); now != last) {
      if (a.json) {
        boost::json::object object = json_of(lock);
        object["time"] = timestamp();
        print_json(object);
      } else {
        fmt::print("{} {}\n", timestamp(), now);
      }
      if (std::fflush(stdout) != 0) return kHolds;  // Nobody reads any more; main says why.
      last = std::move(now);
    }
    wait_for(signals, nullptr, kLookEvery_ms);
  }
  return kHolds;
}

}  // namespace

void add_watch(CLI::App& app, Outcome& outcome) {
  CLI::App* command =
      app.add_subcommand("watch", "A line whenever a lock's holder or waiters change, until ^C");
  command->group(kLockGroup);
  auto a = std::make_shared<WatchArguments>();
  command->add_option("NAME", a->name, "Any name, e.g. orders/42")->required();
  add_address(*command, a->address);
  command->add_flag("--json", a->json, "A JSON object a line");
  command->footer(std::string{"Examples:\n"
                              "  hapax watch backup\n"
                              "  hapax watch backup --json\n"
                              "Looks five times a second: what is shorter may go unseen.\n"} +
                  kShowStatuses);
  command->callback([a, &outcome] { outcome.status = run_watch(*a); });
}

}  // namespace hapax::cli
