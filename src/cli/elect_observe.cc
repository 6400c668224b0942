#include <chrono>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "cli/changes.h"
#include "cli/elect.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/log.h"
#include "console/show.h"
#include "console/signals.h"
#include "console/terminal.h"
#include "group_commands/people.h"
#include "group_json/group_json.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

constexpr std::chrono::milliseconds kHearSignals{100};

GroupStatus status_of(Client& client) {
  try {
    return client.status();
  } catch (const std::system_error& e) {
    fail(e, "elect");
  }
}

boost::json::object json_of_group(const GroupStatus& s) {
  return {{"election", s.election},
          {"term", s.term},
          {"leader", json_member(s.leader)},
          {"member", s.member}};
}

boost::json::object json_of_change(const std::string& name, const Election::Change& change) {
  boost::json::object object{{"time", timestamp()}, {"election", name}, {"leader", nullptr}};
  if (!change.leader) return object;
  boost::json::object leader = json_of(change.leader->who);
  leader.erase("since_ms");
  leader["value"] = change.leader->value;
  object["leader"] = std::move(leader);
  return object;
}

std::string line_of(const std::string& name, const Election::Change& change) {
  if (!change.leader) return fmt::format("{} {} VACANT", timestamp(), name);
  return fmt::format("{} {} is led by {}: {}, fence {}", timestamp(), name, change.leader->value,
                     show_person(change.leader->who), text_of(change.leader->fence));
}

}  // namespace

int show_group_leader(const ElectArguments& a) {
  Client client = reach(a.address);
  const GroupStatus status = status_of(client);
  if (a.json) {
    print_json(json_of_group(status));
  } else {
    show("{}\n", show_leader(status));
  }
  return kHolds;
}

int observe_group(const ElectArguments& a) {
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  Client client = reach(a.address);
  return show_changes(signals, a.json, [&] {
    const GroupStatus status = status_of(client);
    return std::vector<Sight>{{"", show_leader(status), json_of_group(status)}};
  });
}

int observe_election(ElectArguments a) {
  find_cell(a.address, a.name);
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  Client client = reach(a.address, Purpose::looks);
  Election election{client, a.name};
  Election::Observation observation = election.observe();
  while (!signals.take() && is_output_read()) {
    const auto change = observation.next_until(Election::Clock::now() + kHearSignals);
    if (!change && observation.is_lost()) fail(Errc::lost, a.name);
    if (!change) continue;
    if (a.json) {
      print_json(json_of_change(a.name, *change));
    } else {
      show("{}\n", line_of(a.name, *change));
    }
    if (std::fflush(stdout) != 0) return kHolds;
  }
  return kHolds;
}

}  // namespace hapax::cli
