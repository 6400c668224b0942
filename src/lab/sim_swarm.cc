// `hapax sim ALGORITHM --faults swarm`: whole groups with their views, in virtual time, under
// faults that are drawn from a seed.
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "console/json.h"
#include "console/progress.h"
#include "console/usage.h"
#include "lab/sim.h"
#include "swarm/swarm.h"

namespace hapax::cli {
namespace {

constexpr std::size_t kShown = 5;  // Seeds that went wrong.
constexpr std::size_t kLines = 40;

struct Bad {
  SwarmPlan plan;
  SwarmReport report;
};

std::string replay_line(const SwarmPlan& plan) {
  return fmt::format("hapax sim {} --faults swarm{} --seed {} --seeds 1", plan.algorithm,
                     plan.fixed ? " --fixed" : "", plan.seed);
}

void print_bad(const Bad& bad) {
  fmt::print("\nVIOLATED: {}\n  {}\n  again: {}\n", bad.report.violation, bad.plan.text(),
             replay_line(bad.plan));
  for (const std::string& line : bad.report.log) fmt::print("  {}\n", line);
}

}  // namespace

int simulate_swarm(const SimArguments& a) {
  const MutexInfo& info = find_algorithm(a.algorithm)->info;
  if (info.can_deadlock) {
    throw UsageError{fmt::format(
        "{} can deadlock without any fault, which a swarm would only find again; take another",
        a.algorithm)};
  }
  SwarmReport sum;
  std::vector<Bad> bad;
  std::uint64_t violations = 0;
  double seconds = 0;
  {
    Progress progress{!a.json};
    for (std::uint64_t i = 0; i < a.seeds; ++i) {
      const SwarmPlan plan = SwarmPlan::draw(a.algorithm, a.seed + i, a.fixed);
      SwarmReport report = run_swarm(plan);
      sum.add(report);
      if (!report.violation.empty() && ++violations <= kShown) {
        report.log = run_swarm(plan, kLines).log;
        bad.push_back({plan, std::move(report)});
      }
      progress.show(i + 1, a.seeds, fmt::format("{} violations", violations));
    }
    seconds = progress.seconds();
  }
  if (a.json) {
    boost::json::array findings;
    for (const Bad& b : bad) {
      findings.push_back({{"seed", b.plan.seed},
                          {"violation", b.report.violation},
                          {"plan", b.plan.text()},
                          {"again", replay_line(b.plan)}});
    }
    print_json({{"algorithm", a.algorithm},
                {"fixed", a.fixed},
                {"seed", a.seed},
                {"seeds", a.seeds},
                {"violations", violations},
                {"entries", sum.entries},
                {"kept_entries", sum.kept_entries},
                {"lost", sum.lost},
                {"stale_writes_refused", sum.stale_refused},
                {"updates", sum.updates},
                {"views", sum.views},
                {"faults", sum.faults},
                {"meetings", sum.meetings},
                {"repeated", sum.repeated},
                {"events", sum.events},
                {"seconds", json_number(seconds)},
                {"findings", findings}});
  } else {
    if (a.seeds == 1) fmt::print("{}\n", SwarmPlan::draw(a.algorithm, a.seed, a.fixed).text());
    fmt::print(
        "{}, seeds {} … {}: {} faults, {} connections, {} messages that came again, {} views, {} "
        "entries ({} of what was kept), {} grants lost with a lease, {} late writes refused, {} "
        "updates; {} events, "
        "{:.1f} "
        "s\n",
        a.algorithm, a.seed, a.seed + a.seeds - 1, sum.faults, sum.meetings / 2, sum.repeated,
        sum.views, sum.entries, sum.kept_entries, sum.lost, sum.stale_refused, sum.updates,
        sum.events, seconds);
    for (const Bad& b : bad) print_bad(b);
    if (violations > bad.size()) fmt::print("\nand {} more\n", violations - bad.size());
    if (violations == 0) {
      fmt::print(
          "{} inside by a lease that is not over, fences grew, no update was lost, and once all "
          "was "
          "healed everybody was served.\n",
          info.takes.units    ? "No more clients than units"
          : info.readers_join ? "No client with a writer"
                              : "No two clients");
    }
  }
  return violations == 0 ? kHolds : kViolated;
}

}  // namespace hapax::cli
