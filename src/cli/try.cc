#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "console/command.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "jobs/reach.h"
#include "console/signals.h"
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
  Hold held{a.wanted, signals};
  if (a.json) {
    boost::json::object object{{"lock", a.wanted.name}, {"free", held.is_held()}};
    if (held.is_held()) object["fence"] = text_of(held.fence());
    print_json(object);
  } else if (held.is_held()) {
    fmt::print("{} was free, fence {}\n", a.wanted.name, text_of(held.fence()));
  } else {
    fmt::print("{} is taken\n", a.wanted.name);
  }
  return held.is_held() ? kHolds : kConflict;
}

}  // namespace

void add_try(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("try", "Can a lock be had now? It is given back at once");
  command->group(kLockGroup);
  auto a = std::make_shared<TryArguments>();
  command->add_option("NAME", a->wanted.name, "Any name, e.g. orders/42")->required();
  add_address(*command, a->wanted.address);
  add_mode(*command, a->wanted);
  command->add_flag("--json", a->json, "One JSON object instead of a line");
  command->footer(std::string{"Examples:\n"
                              "  hapax try backup\n"
                              "  hapax try backup --json | jq .free\n"} +
                  kLockStatuses);
  command->callback([a, &outcome] { outcome.status = run_try(*a); });
}

}  // namespace hapax::cli
