#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "console/signals.h"
#include "jobs/reach.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

struct TryArguments {
  Wanted wanted;
  bool json = false;
};

int run_try(TryArguments a) {
  check(a.wanted);
  a.wanted.nonblock = true;
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  Hold held{a.wanted, signals};  // Throws if nobody can be granted it: neither free nor taken.
  if (a.json) {
    boost::json::object object{{"lock", a.wanted.name}, {"free", held.is_held()}};
    if (held.is_held()) object["fence"] = text_of(held.fence());
    print_json(object);
  } else if (held.is_held()) {
    show("{} was free, fence {}\n", a.wanted.name, text_of(held.fence()));
  } else {
    show("{} is taken\n", a.wanted.name);
  }
  return held.is_held() ? kHolds : kConflict;
}

Command describe_try(TryArguments& a) {
  Command command{"try", "Can a lock be had now? It is given back at once", kLockGroup};

  command.add("NAME", &a.wanted.name, "Any name, e.g. orders/42", {.required = true});
  add_address(command, &a.wanted.address, Purpose::takes_locks);
  add_mode(command, a.wanted);
  command.add("--json", &a.json, "One JSON object instead of a line");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax try backup\n"
          "  hapax try backup --json | jq .free\n"} +
      kLockStatuses;
  return command;
}

}  // namespace

Command try_command() { return make_command(describe_try, run_try); }

}  // namespace hapax::cli
