#include <fmt/format.h>
#include <optional>
#include <string>

#include "console/json.h"
#include "console/usage.h"
#include "lab/sim.h"
#include "sim/election_run.h"
#include "sim/fault.h"
#include "sim/latency.h"

namespace hapax::cli {
namespace {

constexpr std::int64_t kMostMembers =
    10'000;  // A bully among so many sends a hundred million messages.

NodeId member(std::int64_t id, std::int64_t n, std::string_view what) {
  if (id < 0 || id >= n) {
    throw UsageError{fmt::format("{} {} is no member; the members are 0 … {}", what, id, n - 1)};
  }
  return NodeId{static_cast<std::uint32_t>(id)};
}

void add_fault(ElectionScenario& scenario, const FaultPlan::Scheduled& fault) {
  if (fault.kind == Fault::Kind::crash) {
    for (const NodeId node : fault.processes) {
      scenario.crashes.push_back({node, fault.from, std::nullopt});
    }
    return;
  }
  if (scenario.partition) throw UsageError{"an election takes one partition; leave out the others"};
  scenario.partition = {fault.processes, fault.from,
                        fault.until == kNever ? std::nullopt : std::optional{fault.until}};
}

NodeId lowest_up(const ElectionScenario& scenario) {
  std::uint32_t lowest = 0;
  while (scenario.down.contains(NodeId{lowest})) ++lowest;
  return NodeId{lowest};
}

ElectionScenario scenario_from(const SimArguments& a) {
  ElectionScenario scenario;
  scenario.members = static_cast<std::uint32_t>(a.n);
  if (a.n > kMostMembers) {
    throw UsageError{
        fmt::format("-n {} is too many for an election; use at most {}", a.n, kMostMembers)};
  }
  const Latency latency = value_or_usage(Latency::parse(a.latency));
  if (!latency.bounds()) {
    throw UsageError{
        fmt::format("latency '{}' has no bound, and without one nobody can tell a slow member from "
                    "a dead one; use "
                    "const:1ms or uniform:500us:2ms",
                    a.latency)};
  }
  std::tie(scenario.latency_min_ns, scenario.latency_max_ns) = *latency.bounds();
  scenario.detection_ns = 5 * scenario.latency_max_ns;
  scenario.fifo = !a.unordered;
  scenario.seed = a.seed;
  scenario.explain = true;
  for (const std::int64_t id : a.down) scenario.down.insert(member(id, a.n, "--down"));
  if (scenario.down.size() == scenario.members) {
    throw UsageError{"all members are down, and nobody is left to elect; leave out a --down"};
  }
  for (const std::int64_t id : a.starters) {
    scenario.starters.push_back({member(id, a.n, "--starter"), 0});
    if (scenario.down.contains(scenario.starters.back().member)) {
      throw UsageError{fmt::format("starter {} is down; choose one that is up", id)};
    }
  }
  std::vector<Fault> faults;
  for (const std::string& text : a.faults) {
    faults.push_back(value_or_usage(parse_fault(text)));
    const Fault::Kind kind = faults.back().kind;
    if (kind != Fault::Kind::crash && kind != Fault::Kind::partition) {
      throw UsageError{fmt::format("fault '{}': an election takes crash and partition only", text)};
    }
  }
  Prng prng{~a.seed};
  const FaultPlan plan = value_or_usage(FaultPlan::draw(faults, scenario.members, prng));
  for (const FaultPlan::Scheduled& fault : plan.scheduled()) add_fault(scenario, fault);
  if (scenario.starters.empty()) scenario.starters.push_back({lowest_up(scenario), 0});
  return scenario;
}

// Traces write #4; here a member is its number.
std::string plain(std::string text) {
  std::erase(text, '#');
  return text;
}

std::string leaders_of(const ElectionReport& report, std::uint32_t side) {
  std::string text;
  for (std::size_t i = 0; i < report.members.size(); ++i) {
    const ElectionReport::Member& m = report.members[i];
    if (!m.live || m.side != side || m.leader != NodeId{static_cast<std::uint32_t>(i)}) continue;
    text += fmt::format("{}{} (term {})", text.empty() ? "" : ", ", i, number(m.term));
  }
  return text.empty() ? "nobody" : text;
}

void print_text(const SimArguments& a, const ElectionReport& r) {
  fmt::print("{}, N = {}, latency {}, seed {}\n\n", a.algorithm, a.n, a.latency, a.seed);
  constexpr std::size_t kMostLines = 40;
  for (std::size_t i = 0; i < std::min(r.reasons.size(), kMostLines); ++i) {
    fmt::print("  {:>10}  {}\n", format_duration(r.reasons[i].at), plain(r.reasons[i].text));
  }
  if (r.reasons.size() > kMostLines) {
    fmt::print("  … and {} more steps\n", r.reasons.size() - kMostLines);
  }
  std::string kinds;
  for (const auto& [kind, sent] : r.messages) {
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", sent, kind);
  }
  fmt::print("\nmessages   {} ({}), {} of them lost\n", r.sent, kinds, r.lost);
  fmt::print("decided    after {}\n", format_duration(r.decided_ns));
  const bool split =
      std::any_of(r.members.begin(), r.members.end(), [](const auto& m) { return m.side == 1; });
  fmt::print("leader     {}\n", leaders_of(r, 0));
  if (split) fmt::print("           {} on the other side of the partition\n", leaders_of(r, 1));
  if (r.rivals) {
    fmt::print(
        "two leaders at {}: {} in term {} and {} in term {}. A term cannot tell which one is "
        "right; the "
        "epoch of a view, which only a majority can commit, does.\n",
        format_duration(r.rivals->at), number(r.rivals->lower), number(r.rivals->lower_term),
        number(r.rivals->higher), number(r.rivals->higher_term));
  }
  for (const auto& v : r.violations) {
    fmt::print("VIOLATED   {}: {}\n", name_of(v.fault), plain(v.text));
  }
}

void print_as_json(const SimArguments& a, const ElectionReport& r) {
  boost::json::object kinds;
  for (const auto& [kind, sent] : r.messages) kinds[kind] = sent;
  boost::json::array leaders;
  for (std::size_t i = 0; i < r.members.size(); ++i) {
    const ElectionReport::Member& m = r.members[i];
    if (m.live && m.leader == NodeId{static_cast<std::uint32_t>(i)}) {
      leaders.push_back({{"member", i}, {"term", number(m.term)}, {"side", m.side}});
    }
  }
  boost::json::array details;
  for (const auto& v : r.violations) {
    details.push_back({{"kind", name_of(v.fault)}, {"text", plain(v.text)}});
  }
  print_json({{"algorithm", a.algorithm},
              {"n", a.n},
              {"latency", a.latency},
              {"seed", a.seed},
              {"messages", r.sent},
              {"messages_by_kind", std::move(kinds)},
              {"messages_lost", r.lost},
              {"decided_ms", json_number(static_cast<double>(r.decided_ns) / kMillisecond)},
              {"leaders", std::move(leaders)},
              {"two_leaders", r.two_leaders},
              {"events", r.events},
              {"violations", r.violations.size()},
              {"violation_details", std::move(details)}});
}

}  // namespace

int simulate_election(const SimArguments& a) {
  const ElectionScenario scenario = scenario_from(a);
  const Result<ElectionReport> run = run_election(a.algorithm, scenario);
  if (!run) throw UsageError{plain(run.error().message)};
  const ElectionReport& report = *run;
  a.json ? print_as_json(a, report) : print_text(a, report);
  return report.violations.empty() ? kHolds : kViolated;
}

}  // namespace hapax::cli
