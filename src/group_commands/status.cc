#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/counted.h"
#include "base/duration.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "console/signals.h"
#include "console/table.h"
#include "console/terminal.h"
#include "group_commands/group_commands.h"
#include "group_commands/people.h"
#include "group_commands/view_text.h"
#include "group_json/group_json.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kForever = "forever";

struct StatusArguments {
  std::string address;
  std::optional<std::string> wait;  // So long for a lease.
  bool all = false;
  bool json = false;
};

// Of a fixed list's member. An older daemon says none.
std::string release_of(const GroupStatus& s, std::size_t i) {
  return i < s.releases.size() ? s.releases[i] : "";
}

// Each member in its own words.
void print_all(const GroupStatus& s) {
  show("group {}, as each of its members sees it\n\n", s.group);
  Table table;
  table.column("member");
  table.column("name", Table::Align::left, Table::Length::long_);
  table.column("grants", Table::Align::left);
  for (const char* title : {"view", "of", "clients", "held", "waiting", "entries"}) {
    table.column(title);
  }
  table.column("up for");
  for (const MemberStatus& m : s.all) {
    table.row({fmt::format("{}", m.member), m.name, m.obstacle.empty() ? "yes" : "no",
               fmt::format("{}", number(m.epoch)), fmt::format("{}", m.view_size),
               fmt::format("{}", m.clients), fmt::format("{}", m.held),
               fmt::format("{}", m.waiting), fmt::format("{}", m.entries), show_since(m.uptime)});
  }
  show("{}", table.text_within(page_width()));
  for (const MemberStatus& m : s.all) {
    if (!m.obstacle.empty()) show("{} grants nothing: {}\n", m.name, m.obstacle);
  }
  for (const std::uint32_t member : s.silent) show("{} did not answer\n", show_member(s, member));
  show("{}", release_warnings(s));
}

void print_text(const GroupStatus& s) {
  if (s.view) {
    show("group {}, view {} of {}; {} answers (seat {}), up for {}\n", s.group, number(s.epoch),
         counted(s.size, "member"), s.name, s.member, show_since(s.uptime));
  } else {
    show("group {}, epoch {}; member {} of {} answers, up for {}\n", s.group, number(s.epoch),
         s.member, s.size, show_since(s.uptime));
  }
  show("here: {} held, {} waiting, {}; {} in memory\n", s.held, s.waiting,
       counted(s.entries, "entry", "entries"), counted(s.locks, "lock"));
  show("messages: {} out, {} in\n", s.messages_sent, s.messages_received);
  show("release: {}\n{}", s.release.empty() ? "older than this hapax" : s.release,
       release_warnings(s));
  if (s.certificate) show("{}", show_certificate(*s.certificate));
  if (s.view) return print_view(*s.view, s.obstacle);
  show("{}\n{}\n\n", s.standing, show_leader(s));
  Table table;
  table.column("member");
  table.column("link", Table::Align::left);
  table.column("release", Table::Align::left);
  table.column("address", Table::Align::left, Table::Length::long_);
  for (std::size_t i = 0; i < s.members.size(); ++i) {
    table.row({fmt::format("{}", i + 1), s.up[i] ? "up" : "away", show_release(release_of(s, i)),
               s.members[i]});
  }
  show("{}", table.text_within(page_width()));
  for (std::size_t i = 0; i < s.members.size(); ++i) {
    if (!s.trouble[i].empty()) show("member {}: {}\n", i + 1, s.trouble[i]);
  }
}

GroupStatus ask(const StatusArguments& a) {
  Client client = reach(a.address);
  try {
    return client.status(a.all);
  } catch (const std::system_error& e) {
    fail(e, "status");
  }
}

// When to stop waiting for a lease; nothing: never.
std::optional<Clock::time_point> deadline_of(const std::string& wait) {
  if (wait == kForever) return std::nullopt;
  const bool has_unit = wait.find_first_not_of("0123456789.") != std::string::npos;
  const auto time = parse_duration(has_unit ? wait : wait + "s", "--wait");
  if (!time) throw Failure{kBadUsage, time.error().message};
  return Clock::now() + std::chrono::nanoseconds{*time};
}

// As it is; with --wait, as it is when there is a lease, or when the time is over.
GroupStatus ask_patiently(const StatusArguments& a) {
  if (!a.wait) return ask(a);
  constexpr int kEvery_ms = 100;
  const auto deadline = deadline_of(*a.wait);
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (;;) {
    const bool is_over = deadline && Clock::now() >= *deadline;
    try {
      GroupStatus status = ask(a);
      if (status.obstacle.empty() || is_over) return status;
    } catch (const Failure& e) {
      if (e.status != kUnavailable || is_over) throw;  // Its daemon may be about to start.
    }
    wait_for(signals, nullptr, kEvery_ms);
    if (const auto signal = signals.take()) {
      throw Failure{kBySignal + *signal, "no lease yet"};
    }
  }
}

int run_status(const StatusArguments& a) {
  const GroupStatus status = ask_patiently(a);
  if (a.json) {
    print_json(json_of(status, a.all));
  } else {
    a.all ? print_all(status) : print_text(status);
    if (status.view) print_set_settings(a.address);
  }
  return status.obstacle.empty() ? kHolds : kNoLease;
}

Command describe_status(StatusArguments& a) {
  Command command{"status", "The group as one of its daemons sees it, or all of them", kLockGroup};

  add_address(command, &a.address);
  command.add("--all", &a.all, "Ask every member how it is");
  command.add("--wait", &a.wait,
              "Until locks are granted here, at most so long: 30s or 500ms; without a "
              "time, as long as it takes",
              {.value = "[TIME]", .without_value = kForever});
  command.add("--json", &a.json, "One JSON object instead of text");
  command.footer =
      "Examples:\n"
      "  hapax status\n"
      "  hapax status --all\n"
      "  hapax status --wait 30s && hapax run nightly backup\n"
      "  hapax status --json | jq '.view.lives[] | select(.up | not)'\n"
      "Exit status: 0 locks are granted here, 75 no lease (or no view): nothing is, 64 usage, 69 "
      "no\ndaemon answers, 77 not allowed, 128+N ended by signal N.";
  return command;
}

}  // namespace

Command status_command() { return make_command(describe_status, run_status); }

}  // namespace hapax::cli
