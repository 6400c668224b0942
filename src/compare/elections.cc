#include "compare/elections.h"

#include <utility>

#include "base/check.h"

namespace hapax {
namespace {

ElectionScenario started_by(std::uint32_t n, Nanos latency,
                            std::initializer_list<std::uint32_t> who) {
  ElectionScenario scenario;
  scenario.members = n;
  scenario.latency_min_ns = scenario.latency_max_ns = latency;
  scenario.detection_ns = 5 * latency;
  for (const std::uint32_t member : who) scenario.starters.push_back({NodeId{member}, 0});
  return scenario;
}

}  // namespace

std::vector<ElectionRow> compare_elections(std::uint32_t n, Nanos latency) {
  HAPAX_CHECK(n >= 3);
  const std::uint64_t m = n;
  std::vector<ElectionRow> rows;
  struct Formula {
    std::string text;
    std::uint64_t value = 0;
  };
  const auto add = [&](std::string_view algorithm, std::string_view situation, Formula messages,
                       Formula turnaround, const ElectionScenario& scenario) {
    Result<ElectionReport> report = run_election(algorithm, scenario);
    HAPAX_CHECK(report.has_value());
    const double in_t = static_cast<double>(report->decided_ns) / static_cast<double>(latency);
    rows.push_back({algorithm, situation, std::move(messages.text), messages.value,
                    std::move(turnaround.text), turnaround.value, in_t, std::move(*report)});
  };

  ElectionScenario best = started_by(n, latency, {n - 2});
  best.down = {NodeId{n - 1}};
  add("bully", "leader down, the next highest notices", {"N-2", m - 2}, {"T", 1}, best);
  ElectionScenario worst = started_by(n, latency, {0});
  worst.down = best.down;
  add("bully", "leader down, the lowest notices", {"N(N-2)", m * (m - 2)}, {"2T", 2}, worst);

  add("ring-election", "one notices", {"2N", 2 * m}, {"(2N-1)T", 2 * m - 1},
      started_by(n, latency, {0}));

  add("chang-roberts", "the highest notices", {"2N", 2 * m}, {"(2N-1)T", 2 * m - 1},
      started_by(n, latency, {n - 1}));
  add("chang-roberts", "the one after the highest notices", {"3N-1", 3 * m - 1},
      {"(3N-2)T", 3 * m - 2}, started_by(n, latency, {0}));
  ElectionScenario all = started_by(n, latency, {});
  all.direction = Direction::descending;
  for (std::uint32_t i = 0; i < n; ++i) all.starters.push_back({NodeId{i}, 0});
  add("chang-roberts", "all notice, ids fall along the ring", {"N(N+1)/2+N", m * (m + 1) / 2 + m},
      {"(2N-1)T", 2 * m - 1}, all);
  return rows;
}

}  // namespace hapax
