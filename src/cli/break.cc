#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <unistd.h>

#include "base/printable.h"
#include "cli/commands.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "group_commands/people.h"
#include "group_json/group_json.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

struct BreakArguments {
  std::string name;
  std::string address;
  bool yes = false;
  bool json = false;
};

// Who holds it now. Throws Failure if nobody does.
LockInfo held(Client& client, const std::string& name) {
  for (LockInfo& lock : client.who(name)) {
    if (lock.holder || !lock.sharers.empty()) return std::move(lock);
  }
  const GroupStatus status = client.status();
  const std::string more = status.absence.empty() ? status.obstacle : status.absence;
  throw Failure{kConflict, fmt::format("nobody who answers holds {}{}{}", name,
                                       more.empty() ? "" : "; ", more)};
}

std::string holders_of(const LockInfo& lock) {
  if (lock.holder) {
    return fmt::format("{}, for {}, fence {}", show_person(*lock.holder),
                       show_since(lock.holder->since),
                       lock.holder->fence ? text_of(*lock.holder->fence) : "none: only kept");
  }
  std::string people;
  for (const Person& sharer : lock.sharers) {
    people += (people.empty() ? "" : "; ") + show_person(sharer);
  }
  if (lock.more_sharers > 0) people += fmt::format("; and {} more", lock.more_sharers);
  return people;
}

bool is_confirmed(const BreakArguments& a, const std::string& holders) {
  if (a.yes) return true;
  if (isatty(STDIN_FILENO) == 0) {
    throw Failure{kBadUsage,
                  fmt::format("break {}: it is held by {}, who may be at work; say --yes "
                              "if you mean it",
                              a.name, holders)};
  }
  const std::string question = fmt::format(
      "{} is held by {}.\nIf it only seems stuck, it may write once more after somebody else has "
      "the lock. Break it? [y/N] ",
      printable(a.name), printable(holders));
  fmt::print(stderr, "{}", question);
  const int answer = std::getchar();
  return answer == 'y' || answer == 'Y';
}

int run_break(const BreakArguments& a) {
  require_lock_name(a.name);
  Client client = reach(a.address);
  try {
    const LockInfo lock = held(client, a.name);
    const std::string holders = holders_of(lock);
    if (!is_confirmed(a, holders)) return kConflict;
    client.break_lock(a.name, lock.holder ? lock.holder->fence : std::nullopt);
    if (a.json) {
      print_json({{"broken", a.name}, {"was", json_of(lock)}});
    } else {
      show("{} is broken: it was held by {}, who was told that it is lost\n", a.name, holders);
    }
  } catch (const std::system_error& e) {
    if (e.code().category() != error_category()) throw;  // Of the output.
    if (e.code() == Errc::refused) throw Failure{kConflict, words_of(e)};
    fail(e, a.name);
  }
  return kHolds;
}

Command describe_break(BreakArguments& a) {
  Command command{"break", "Take a lock from a holder that is stuck", kLockGroup};

  command.add("NAME", &a.name, "Of the lock, e.g. orders/42", {.required = true});
  add_address(command, &a.address);
  command.add("--yes", &a.yes, "Do not ask");
  command.add("--json", &a.json, "One JSON object instead of a line");
  command.footer =
      "Examples:\n"
      "  hapax why backup             who holds it, and since when\n"
      "  hapax break backup\n"
      "DANGER: whoever held it is told that it is lost, and a command of `hapax run` is killed if "
      "it is on\nits daemon's machine. But a program that is stuck does not hear, and may write "
      "once more when it\nwakes up, while somebody else has the lock. Only a fence gate stops "
      "that: the next fence is larger.\nEnd the holder instead, if you can. Needs the right to "
      "administer, and to read; it is logged.\n"
      "Exit status: 0 it is broken, 1 nobody who answers holds it, 64 usage, 69 no daemon answers, "
      "77 not\nallowed.";
  return command;
}

}  // namespace

Command break_command() { return make_command(describe_break, run_break); }

}  // namespace hapax::cli
