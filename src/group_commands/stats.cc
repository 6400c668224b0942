#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "console/exit_status.h"
#include "console/json.h"
#include "console/number.h"
#include "console/show.h"
#include "console/signals.h"
#include "console/table.h"
#include "group_commands/group_commands.h"
#include "group_commands/people.h"
#include "group_json/group_json.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

struct StatsArguments {
  std::string address;
  std::optional<double> every_s;
  bool json = false;
};

void print_text(const MemberStats& s) {
  show("{}, up for {}\n\n", s.name, show_since(s.uptime));
  if (!s.traffic.empty()) {
    Table messages;
    messages.column("algorithm", Table::Align::left);
    messages.column("messages out");
    messages.column("in");
    for (const auto& t : s.traffic) {
      messages.row({t.algorithm, fmt::format("{}", t.sent), fmt::format("{}", t.received)});
    }
    show("{}\n", messages.text());
  }
  Table counters;
  counters.column("counter", Table::Align::left);
  counters.column("value");
  for (const auto& [name, value] : s.counters) counters.row({name, fmt::format("{}", value)});
  show("{}", counters.text());
}

int run_stats(const StatsArguments& a) {
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  Client client = reach(a.address);
  for (;;) {
    MemberStats stats;
    try {
      stats = client.stats();
    } catch (const std::system_error& e) {
      fail(e, "stats");
    }
    a.json ? print_json(json_of(stats)) : print_text(stats);
    if (!a.every_s || std::fflush(stdout) != 0) return kHolds;
    wait_for(signals, nullptr, static_cast<int>(*a.every_s * 1000));
    if (signals.take()) return kHolds;
    if (!a.json) show("\n");
  }
}

Command describe_stats(StatsArguments& a) {
  Command command{"stats", "What a daemon has counted: messages, entries, links", kLockGroup};

  add_address(command, &a.address);
  command.add("--every", &a.every_s, "Again every so many seconds, until ^C",
              {.check = seconds(0.1, 86'400)});
  command.add("--json", &a.json, "JSON objects, one a line, instead of tables");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax stats\n"
          "  hapax stats --every 2 --json | jq .counters.entries\n"} +
      kShowStatuses;
  return command;
}

}  // namespace

Command stats_command() { return make_command(describe_stats, run_stats); }

}  // namespace hapax::cli
