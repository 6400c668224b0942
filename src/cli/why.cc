#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "group_commands/people.h"
#include "group_json/group_json.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"
#include "jobs/waiting.h"
#include "waits/families.h"
#include "waits/graph.h"

namespace hapax::cli {
namespace {

struct WhyArguments {
  std::string name;
  std::string address;
  bool json = false;
};

// What keeps a lock from being granted besides those who hold it.
struct Obstacles {
  GroupStatus status;
  std::vector<std::uint32_t> silent;  // Members that are reached and did not answer.

  std::string silence() const {
    std::string names;
    for (const std::uint32_t member : silent) {
      names += (names.empty() ? "" : ", ") + show_member(status, member);
    }
    return names.empty()
               ? ""
               : names + (silent.size() == 1 ? " does" : " do") + " not answer and may hold it";
  }
  // By nobody who answers: somebody else may have it.
  std::string who_may_hold() const { return status.absence.empty() ? silence() : status.absence; }
};

std::string list_of(const std::set<std::string>& names, const std::string& except) {
  std::string text;
  for (const std::string& name : names) {
    if (name != except) text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

// Of a lock that is held: by whom, and what that one waits for.
std::string story_of(const LockInfo& lock, const WaitsFor& graph) {
  if (!lock.sharers.empty()) {
    std::string people;
    for (const Person& sharer : lock.sharers) {
      people += fmt::format("{}{}, for {}", people.empty() ? "" : "; ", show_person(sharer),
                            show_since(sharer.since));
    }
    if (lock.more_sharers > 0) people += fmt::format("; and {} more", lock.more_sharers);
    return fmt::format("{} is shared by {}", lock.name, people);
  }
  if (!lock.holder) return fmt::format("{} is held by nobody", lock.name);
  std::string text = fmt::format("{} is held by {}, for {}, fence {}", lock.name,
                                 show_person(*lock.holder), show_since(lock.holder->since),
                                 lock.holder->fence ? text_of(*lock.holder->fence) : "?");
  const std::string wanted = list_of(graph.wanted_by(*lock.holder), "");
  if (!wanted.empty()) text += fmt::format(", who waits for {}", wanted);
  return text;
}

std::string arrows(const std::vector<std::string>& cycle) {
  std::string text;
  for (const std::string& name : cycle) text += name + " → ";
  return text + cycle.front();
}

// Those who must be asked before anybody is let in.
std::string for_whom(const GroupStatus& status) {
  std::string names;
  for (const auto& away : status.away) names += (names.empty() ? ", for " : ", ") + away.name;
  return names;
}

bool is_held(const LockInfo& lock) { return lock.holder || !lock.sharers.empty(); }

void print_text(const LockInfo& lock, const std::vector<LockInfo>& locks, const WaitsFor& graph,
                const Obstacles& obstacles) {
  const std::string others = is_held(lock) ? "" : obstacles.who_may_hold();
  if (others.empty() && (is_held(lock) || obstacles.status.obstacle.empty())) {
    show("{}\n", story_of(lock, graph));
  } else if (!others.empty()) {
    show("{}: {}\n", lock.name, others);
  }
  if (!obstacles.status.obstacle.empty()) {
    show("{} cannot be granted at {}: {}\n", lock.name, obstacles.status.name,
         obstacles.status.obstacle);
  }
  for (std::size_t i = 0; i < lock.waiters.size(); ++i) {
    const Person& waiter = lock.waiters[i];
    const std::string held = list_of(graph.kept_by(waiter, locks), lock.name);
    show("  {}. {} waits, for {}{}{}\n", i + 1, show_person(waiter), show_since(waiter.since),
         is_held(lock) ? "" : for_whom(obstacles.status), held.empty() ? "" : "; it holds " + held);
  }
  if (lock.more_waiters > 0) show("  and {} more\n", lock.more_waiters);
  for (const auto& cycle : graph.cycles_from(lock.name)) {
    show("DEADLOCK: {}\n", arrows(cycle));
    for (const std::string& name : cycle) {
      const auto at = std::find_if(locks.begin(), locks.end(),
                                   [&](const LockInfo& l) { return l.name == name; });
      if (at != locks.end()) show("  {}\n", story_of(*at, graph));
    }
    show("  End one of them. Taken in the same order everywhere, locks cannot deadlock.\n");
  }
}

void print_as_json(const LockInfo& lock, const std::vector<LockInfo>& locks, const WaitsFor& graph,
                   const Obstacles& obstacles) {
  const GroupStatus& status = obstacles.status;
  const auto names = [](const std::set<std::string>& set) {
    return boost::json::array(set.begin(), set.end());
  };
  boost::json::object object = json_of(lock);
  if (lock.holder) {
    object["holder"].as_object()["waits_for"] = names(graph.wanted_by(*lock.holder));
  }
  for (std::size_t i = 0; i < lock.waiters.size(); ++i) {
    object["waiters"].as_array()[i].as_object()["holds"] =
        names(graph.kept_by(lock.waiters[i], locks));
  }
  boost::json::array deadlocks;
  for (const auto& cycle : graph.cycles_from(lock.name)) {
    deadlocks.push_back(boost::json::array(cycle.begin(), cycle.end()));
  }
  object["deadlocks"] = std::move(deadlocks);
  object["standing"] = status.standing;
  object["obstacle"] = status.obstacle;
  boost::json::array away;
  for (const GroupStatus::Away& member : status.away) {
    boost::json::value free_in = nullptr;
    if (member.free_in) free_in = member.free_in->count();
    away.push_back(boost::json::object{
        {"member", member.member}, {"name", member.name}, {"free_in_ms", std::move(free_in)}});
  }
  object["away"] = std::move(away);
  boost::json::array silent;
  for (const std::uint32_t member : obstacles.silent) {
    silent.push_back(boost::json::string{show_member(status, member)});
  }
  object["silent"] = std::move(silent);
  print_json(object);
}

int run_why(const WhyArguments& a) {
  require_lock_name(a.name);
  Client client = reach(a.address);
  std::vector<LockInfo> locks;
  Obstacles obstacles;
  try {
    locks = client.who({}, &obstacles.silent);
    obstacles.status = client.status();
  } catch (const std::system_error& e) {
    fail(e, "why");
  }
  std::erase_if(obstacles.silent, [&](std::uint32_t member) {
    return std::any_of(obstacles.status.away.begin(), obstacles.status.away.end(),
                       [&](const GroupStatus::Away& away) { return away.member == member; });
  });
  const WaitsFor graph{locks, Families{}};
  LockInfo vacant;
  vacant.name = a.name;
  const auto at =
      std::find_if(locks.begin(), locks.end(), [&](const LockInfo& l) { return l.name == a.name; });
  const LockInfo& lock = at != locks.end() ? *at : vacant;
  if (a.json) {
    print_as_json(lock, locks, graph, obstacles);
    return kHolds;
  }
  print_text(lock, locks, graph, obstacles);
  return kHolds;
}

Command describe_why(WhyArguments& a) {
  Command command{"why", "Why a lock is not to be had: who waits for whom, and deadlocks",
                  kLockGroup};

  command.add("NAME", &a.name, "Of the lock, e.g. orders/42", {.required = true});
  add_address(command, &a.address);
  command.add("--json", &a.json, "One JSON object instead of text");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax why backup\n"
          "  hapax why backup --json | jq .deadlocks\n"
          "If nobody who answers holds it, what is in the way is said: a daemon without a lease, "
          "or "
          "a member\nthat is away and may hold it, and when its lease ends.\n"
          "Processes are told apart by host and pid. What a descendant of a holder waits for, "
          "the\nholder waits for; that is seen on this machine only.\n"} +
      kShowStatuses;
  return command;
}

}  // namespace

Command why_command() { return make_command(describe_why, run_why); }

}  // namespace hapax::cli
