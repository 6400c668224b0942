#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "console/table.h"
#include "console/terminal.h"
#include "group_commands/people.h"
#include "group_json/group_json.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

struct WhoArguments {
  std::string name;
  std::string address;
  bool json = false;
};

void add_person(Table& table, const LockInfo& lock, const std::string& role, const Person& p) {
  // Another program's client of an engine does not say who it is, nor since when.
  const bool is_known = p.pid != 0;
  table.row({lock.name, lock.algorithm, role, p.host, is_known ? fmt::format("{}", p.pid) : "",
             is_known ? show_since(p.since) : "", p.fence ? text_of(*p.fence) : "",
             show_command(p.command)});
}

void add_more(Table& table, const LockInfo& lock, std::uint64_t count, const char* what) {
  if (count == 0) return;
  table.row(
      {lock.name, lock.algorithm, fmt::format("and {} more {}", count, what), "", "", "", "", ""});
}

std::string table_of(const std::vector<LockInfo>& locks) {
  Table table;
  constexpr auto kLeft = Table::Align::left;
  table.column("lock", kLeft, Table::Length::long_);
  table.column("algorithm", kLeft, Table::Length::long_);
  table.column("who", kLeft);
  table.column("host", kLeft, Table::Length::long_);
  table.column("pid");
  table.column("since");
  table.column("fence");
  table.column("command", kLeft, Table::Length::long_);
  for (const LockInfo& lock : locks) {
    if (lock.holder) {
      add_person(table, lock, lock.holder->fence ? "holds" : "keeps", *lock.holder);
    }
    for (const Person& sharer : lock.sharers) add_person(table, lock, "shares", sharer);
    add_more(table, lock, lock.more_sharers, "share");
    for (std::size_t i = 0; i < lock.waiters.size(); ++i) {
      add_person(table, lock,
                 fmt::format("waits, {}{}", i + 1, lock.waiters[i].shared ? ", to share" : ""),
                 lock.waiters[i]);
    }
    add_more(table, lock, lock.more_waiters, "wait");
  }
  return table.text_within(page_width());
}

int run_who(WhoArguments a) {
  if (!a.name.empty()) {
    find_cell(a.address, a.name);
    require_lock_name(a.name);  // Patterns are alike.
  }
  Client client = reach(a.address, Purpose::looks);
  std::vector<LockInfo> locks;
  std::vector<std::uint32_t> silent;  // Members that did not answer.
  std::uint64_t more_locks = 0;
  try {
    locks = client.who(a.name, &silent, &more_locks);
  } catch (const std::system_error& e) {
    fail(e, "who");
  }
  std::erase_if(
      locks, [](const LockInfo& l) { return !l.holder && l.sharers.empty() && l.waiters.empty(); });
  if (a.json) {
    print_json(json_of_locks(locks, silent, more_locks));
    return kHolds;
  }
  for (const std::uint32_t member : silent) {
    show("{} did not answer: what it knows is missing.\n", show_member(client.status(), member));
  }
  if (locks.empty()) {
    show("{} holds {} or waits for it.\n", silent.empty() ? "Nobody" : "Nobody else",
         a.name.empty() ? "any lock" : a.name);
  } else {
    show("{}", table_of(locks));
  }
  if (more_locks > 0) {
    show("And {} more locks, at most: ask for one by its name.\n", more_locks);
  }
  return kHolds;
}

Command describe_who(WhoArguments& a) {
  Command command{"who", "Who holds a lock and who waits for it", kLockGroup};

  command.add("NAME", &a.name,
              "Of one lock, or of all of a pattern as 'orders/*'; else all that are held or waited "
              "for");
  add_address(command, &a.address, Purpose::looks);
  command.add("--json", &a.json, "One JSON object instead of a table");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax who\n"
          "  hapax who 'orders/*'         * stands for anything, ? for one character\n"
          "  hapax who backup --json | jq '.locks[0].holder.pid'\n"
          "Who keeps a lock was the last to use it, is not inside, and has to be asked by nobody.\n"
          "Every member is asked; one that does not answer within a second is "
          "named.\n"} +
      kShowStatuses;
  return command;
}

}  // namespace

Command who_command() { return make_command(describe_who, run_who); }

}  // namespace hapax::cli
