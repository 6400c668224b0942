#include "swarm/swarm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace hapax {
namespace {

class Swarms : public ::testing::TestWithParam<std::string> {};

// Some seeds of each; `hapax sim ALGORITHM --faults swarm --seeds 1000` is for more.
TEST_P(Swarms, DoNoHarm) {
  SwarmReport sum;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const SwarmPlan plan = SwarmPlan::draw(GetParam(), seed);
    const SwarmReport report = run_swarm(plan);
    ASSERT_EQ(report.violation, "") << plan.text() << "\n"
                                    << fmt::format("{}", fmt::join(run_swarm(plan, 60).log, "\n"));
    sum.entries += report.entries;
    sum.lost += report.lost;
    sum.stale_refused += report.stale_refused;
    sum.views += report.views;
    sum.faults += report.faults;
  }
  // Something went on, and went wrong.
  EXPECT_GT(sum.entries, 1'000u);
  EXPECT_GE(sum.lost, 10u);
  EXPECT_GT(sum.stale_refused, 0u);
  EXPECT_GT(sum.views, 100u);
  EXPECT_GT(sum.faults, 100u);
}

std::vector<std::string> live_algorithms() {
  std::vector<std::string> names;
  for (const Operations* algorithm : algorithms()) {
    if (!algorithm->info.can_deadlock) names.emplace_back(algorithm->info.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Swarms, ::testing::ValuesIn(live_algorithms()), [](const auto& p) {
  std::string name = p.param;
  std::erase(name, '-');
  return name;
});

// What the margin is for; and that the referee sees what goes wrong.
TEST(Swarm, AreCaughtWhenClocksDriftBeyondTheMargin) {
  for (const char* algorithm : {"naimi-trehel", "readers-writers", "semaphore-ra"}) {
    std::uint64_t caught = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      SwarmPlan plan = SwarmPlan::draw(algorithm, seed);
      plan.drift = 3'000;
      if (run_swarm(plan).violation.find("inside at once") != std::string::npos) ++caught;
    }
    EXPECT_GT(caught, 0u) << algorithm;
  }
}

TEST(Swarm, AreWhatTheirSeedSays) {
  const SwarmPlan plan = SwarmPlan::draw("maekawa", 7);
  const SwarmReport first = run_swarm(plan, 1'000);
  const SwarmReport second = run_swarm(plan, 1'000);
  EXPECT_EQ(first.log, second.log);
  EXPECT_EQ(first.events, second.events);
  EXPECT_NE(plan.text(), SwarmPlan::draw("maekawa", 8).text());
}

}  // namespace
}  // namespace hapax
