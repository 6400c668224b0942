#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "group_commands/people.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

struct ResignArguments {
  std::string name;
  std::string address;
  std::string to;
  bool json = false;
};

int run_resign(const ResignArguments& a) {
  require_lock_name(a.name);
  if (!a.to.empty()) require_value("--to", a.to);
  Client client = reach(a.address);
  Election election{client, a.name};
  std::optional<Leader> leader;
  try {
    leader = election.leader();
  } catch (const std::system_error& e) {
    fail(e, a.name);
  }
  if (!leader) throw Failure{kConflict, fmt::format("nobody leads {}", a.name)};
  std::error_code error;
  try {
    error = election.ask_to_resign(a.to);
  } catch (const std::system_error& e) {
    fail(e, a.name);
  }
  if (error == Errc::no_candidate) {
    throw Failure{
        kConflict,
        fmt::format("nobody is known to campaign for {} with the value {}; {} still leads", a.name,
                    a.to, leader->value)};
  }
  if (error == Errc::no_leader)
    throw Failure{kConflict, fmt::format("{}: {}", a.name, error.message())};
  if (error) fail(error, a.name);
  if (a.json) {
    print_json({{"election", a.name}, {"asked", leader->value}});
  } else {
    show("asked {} to step down: {}\n", leader->value, show_person(leader->who));
  }
  return kHolds;
}

Command describe_resign(ResignArguments& a) {
  Command command{"resign", "Ask a leader to step down, or to hand over", kLockGroup};

  command.add("NAME", &a.name, "What it leads, e.g. scheduler", {.required = true});
  command.add("--to", &a.to, "In favour of the candidate that campaigns with this value");
  add_address(command, &a.address);
  command.add("--json", &a.json, "One JSON object instead of a line");
  command.footer =
      "Examples:\n"
      "  hapax resign scheduler\n"
      "  hapax resign scheduler --to other-host\n"
      "The leader is asked, not forced: `hapax elect` does step down, a program of yours as it is "
      "written.\nHanding over needs an answer of every member. If nobody campaigns with that "
      "value, "
      "nobody is\nasked to step down.\n"
      "Exit status: 0 it was asked, 1 nobody leads or nobody campaigns with that value, 64 usage, "
      "69 "
      "no\ndaemon answers, 77 not allowed.";
  return command;
}

}  // namespace

Command resign_command() { return make_command(describe_resign, run_resign); }

}  // namespace hapax::cli
