#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/people.h"
#include "cli/view_text.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "console/table.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

struct StatusArguments {
  std::string address;
  bool json = false;
};

void print_as_json(const GroupStatus& s) {
  boost::json::array members;
  for (std::size_t i = 0; i < s.members.size(); ++i) {
    members.push_back(boost::json::object{{"member", i + 1},
                                          {"address", s.members[i]},
                                          {"up", bool{s.up[i]}},
                                          {"trouble", s.trouble[i]}});
  }
  print_json({{"group", s.group},
              {"member", s.member},
              {"name", s.name},
              {"obstacle", s.obstacle},
              {"absence", s.absence},
              {"size", s.size},
              {"epoch", number(s.epoch)},
              {"standing", s.standing},
              {"members", std::move(members)},
              {"locks", s.locks},
              {"held", s.held},
              {"waiting", s.waiting},
              {"entries", s.entries},
              {"messages_sent", s.messages_sent},
              {"messages_received", s.messages_received},
              {"uptime_ms", s.uptime.count()},
              {"election", s.election},
              {"term", s.term},
              {"leader", json_member(s.leader)},
              {"view", s.view ? json_view(*s.view) : boost::json::value{}}});
}

void print_text(const GroupStatus& s) {
  if (s.view) {
    show("group {}, view {} of {} members; {} answers (seat {}), up for {}\n", s.group,
         number(s.epoch), s.size, s.name, s.member, show_since(s.uptime));
  } else {
    show("group {}, epoch {}; member {} of {} answers, up for {}\n", s.group, number(s.epoch),
         s.member, s.size, show_since(s.uptime));
  }
  show("here: {} held, {} waiting, {} locks in memory, {} entries, {} messages out, {} in\n",
       s.held, s.waiting, s.locks, s.entries, s.messages_sent, s.messages_received);
  if (s.view) return print_view(*s.view);
  show("{}\n{}\n\n", s.standing, show_leader(s));
  Table table;
  table.column("member");
  table.column("", Table::Align::left);
  table.column("address", Table::Align::left);
  for (std::size_t i = 0; i < s.members.size(); ++i) {
    table.row({fmt::format("{}", i + 1), s.up[i] ? "up" : "away", s.members[i]});
  }
  show("{}", table.text());
  for (std::size_t i = 0; i < s.members.size(); ++i) {
    if (!s.trouble[i].empty()) show("member {}: {}\n", i + 1, s.trouble[i]);
  }
}

int run_status(const StatusArguments& a) {
  Client client = reach(a.address);
  try {
    const GroupStatus status = client.status();
    a.json ? print_as_json(status) : print_text(status);
  } catch (const std::system_error& e) {
    if (e.code().category() != error_category()) throw;  // Of the output.
    fail(e, "status");
  }
  return kHolds;
}

Command describe_status(StatusArguments& a) {
  Command command{"status", "The group as one of its daemons sees it", kLockGroup};

  add_address(command, &a.address);
  command.add("--json", &a.json, "One JSON object instead of text");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax status\n"
          "  hapax status --json | jq '.members[] | select(.up | not)'\n"} +
      kShowStatuses;
  return command;
}

}  // namespace

Command status_command() { return make_command(describe_status, run_status); }

}  // namespace hapax::cli
