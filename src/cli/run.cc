#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "console/exit_status.h"
#include "console/number.h"
#include "console/signals.h"
#include "jobs/attend.h"
#include "jobs/job.h"
#include "jobs/reach.h"
#include "jobs/successor.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

using std::chrono::milliseconds;

struct RunArguments {
  Wanted wanted;
  int conflict = kConflict;
  std::optional<double> kill_after_s;  // A second, or what the lease has room for.
  std::string shell_command;
  bool close = false;
  bool in_place = false;
  bool verbose = false;
};

// What comes before `--` and is not ours is the command, unless one follows it.
std::vector<std::string> command_from(const RunArguments& a, const Given& given) {
  std::vector<std::string> command = given.rest;
  if (!command.empty() && command.front().starts_with('-')) {
    throw Failure{kBadUsage, fmt::format("unknown option {}; the command goes behind --: hapax run "
                                         "NAME -- CMD",
                                         command.front())};
  }
  if (!given.behind.empty()) {
    command.insert(command.end(), given.behind.begin() + (command.empty() ? 1 : 0),
                   given.behind.end());
  }
  if (!a.shell_command.empty()) {
    if (!command.empty()) throw Failure{kBadUsage, "-c takes the place of a command; give one"};
    const char* shell = std::getenv("SHELL");
    return {shell != nullptr && *shell != '\0' ? shell : "/bin/sh", "-c", a.shell_command};
  }
  if (command.empty() || command.front().empty()) {
    throw Failure{kBadUsage, "there is no command; write hapax run NAME -- CMD, or -c 'CMD'"};
  }
  return command;
}

void say(const RunArguments& a, const std::string& text) {
  if (a.verbose) fmt::print(stderr, "hapax: {}\n", text);
}

Failure lost(const RunArguments& a, Client& client, std::string_view what = "") {
  return {kLost, fmt::format("{} is lost{}: {}", a.wanted.name, what, why_lost(client))};
}

int keep_for(Successor& successor, const RunArguments& a, Client& client, Reliance& reliance,
             Signals& signals) {
  successor.begin(detail::JobTie{client}.descriptor());
  if (!successor.attend(reliance, signals)) {
    successor.end(reliance.grace_left());
    throw lost(a, client, ", and the command was ended");
  }
  say(a, fmt::format("gives {} back", a.wanted.name));
  return kHolds;
}

int run_job(const RunArguments& a, const Given& given, const ToReach& to_reach) {
  const std::vector<std::string> command = command_from(a, given);
  check(a.wanted);
  if (to_reach) to_reach(a.wanted.address);
  std::optional<Successor> successor;
  if (a.in_place) successor.emplace(command);  // From here on we are the process beside it.
  Signals signals{kForAJob};                   // Before any thread.
  const auto asked = std::chrono::steady_clock::now();
  say(a, fmt::format("asks for {}", a.wanted.name));
  GroupStatus group;
  milliseconds grace{};
  Hold held{a.wanted, signals, [&](Client& client) {
              group = status_of(client, a.wanted.name);
              return grace = grace_within_lease(group, a.kill_after_s);
            }};
  if (!held.is_held()) {
    say(a, fmt::format("somebody else has {}", a.wanted.name));
    return a.conflict;  // Silently, like flock.
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - asked;
  say(a, fmt::format("has {} after {:.6f} seconds, fence {}; runs {}", a.wanted.name, took.count(),
                     text_of(held.fence()), command.front()));
  set_environment(group, a.wanted.name, held.fence(), held.valid_for());
  const detail::JobTie tie{held.client()};
  Reliance reliance{{held.lost()}, [&] { return held.valid_for(); }, grace, tie};
  if (reliance.has_ended()) throw lost(a, held.client());
  if (successor) return keep_for(*successor, a, held.client(), reliance, signals);
  Job job{command, signals.former(), tie, reliance.good_for(),
          a.close ? Job::Connection::closed : Job::Connection::inherited};
  if (const auto status = attend(job, reliance, signals)) {
    if (a.close) {
      job.let_go();
    } else {
      end_all(job, a.wanted.name, grace, kToBeGone);  // The lock is given back then.
    }
    say(a, fmt::format("gives {} back; the command returned {}", a.wanted.name, *status));
    return *status;
  }
  end_all(job, a.wanted.name, reliance.grace_left(), grace);
  throw lost(a, held.client(), ", and the command was ended");
}

Command describe_run(RunArguments& a) {
  Command command{"run", "Run a command while holding a lock, like flock(1)", kLockGroup};

  command.usage =
      "Usage: hapax run [OPTIONS] NAME -- CMD [ARGUMENT …]\n"
      "       hapax run [OPTIONS] NAME -c 'SHELL COMMAND'\n";
  command.takes_command = command.is_prefix = true;
  add_wanted(command, a.wanted);
  command.add("-E,--conflict-exit-code", &a.conflict, "Exit status if the lock is not had in time",
              {.check = whole_number(0, 255), .shows_default = true});
  command.add("-c,--command", &a.shell_command, "Run this by $SHELL -c instead of CMD");
  command.add("--kill-after", &a.kill_after_s,
              "Seconds from SIGTERM to SIGKILL when the lock is lost, and for what CMD leaves "
              "behind; 1 if not said, or a quarter of a lease that is short",
              {.check = seconds(0, std::chrono::duration<double>(kLongestGrace).count())});
  command.add("-o,--close", &a.close,
              "CMD does not inherit the connection that holds the lock; what it leaves behind "
              "lives on, without the lock");
  command.add("-F,--no-fork", &a.in_place,
              "CMD takes the place of hapax, with its process id; a process beside it holds the "
              "lock as long as CMD, or what it started, is there",
              {.excludes = {"--close"}});
  command.add("-v,--verbose", &a.verbose, "Say on standard error what happens");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax run backup -- ./backup.sh --full\n"
          "  hapax run -n backup -- ./backup.sh           not if it runs already\n"
          "  hapax run -w 2.5 -E 99 orders/42 -- make     wait so long, then exit 99\n"
          "  hapax run deploy -c 'git pull && make'\n"
          "  hapax run -s reports -- ./report.sh          with other readers, see node "
          "--algorithm\n"
          "  hapax run --address etcd://h1:2379 db -- ./x  in one line with `etcdctl lock db`\n"
          "CMD is a process group of its own and has standard input; on a terminal it is in "
          "the\nforeground, else signals go to all of it. What it leaves behind ends with "
          "it. If the daemon\nis gone or silent, the group gets SIGTERM and, before "
          "anybody else can have the lock, SIGKILL.\n"
          "If hapax run itself is killed with -9, CMD's group is killed, and the lock is free only "
          "then:\nCMD and whoever it starts inherit the connection, and as with flock the lock is "
          "held as long as\nany of them has it open. With -o they do not; as with flock -o the "
          "lock "
          "is free as soon as\nCMD ends, and what it leaves behind lives on.\n"
          "With -F, CMD is no group of its own; if the lock is lost, CMD itself is ended, but not "
          "what it\nstarted, and the exit status is that of the signal.\n"
          "Environment: HAPAX_LOCK its name, HAPAX_FENCE epoch.turn, HAPAX_SESSION "
          "group/member/pid,\nHAPAX_DEADLINE until when (Unix time) the lock was good as "
          "CMD began; it is renewed all the time.\n"} +
      kRunStatuses;
  return command;
}

}  // namespace

Command run_command(ToReach to_reach) {
  return make_command(describe_run,
                      [to_reach = std::move(to_reach)](const RunArguments& a, const Given& given) {
                        return run_job(a, given, to_reach);
                      });
}

}  // namespace hapax::cli
