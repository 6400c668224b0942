#include "swarm/swarm.h"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace hapax {
namespace {

// Others every day, so that all who run the tests try more than one of them could.
std::uint64_t first_seed_of_today() {
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day today{days};
  const auto year = static_cast<std::uint64_t>(static_cast<int>(today.year()));
  const std::uint64_t month = static_cast<unsigned>(today.month());
  const std::uint64_t day = static_cast<unsigned>(today.day());
  return (year * 10'000 + month * 100 + day) * 1'000;
}

class Swarms : public ::testing::TestWithParam<std::string> {};

TEST_P(Swarms, OfFixedListsDoNoHarm) {
  constexpr std::uint64_t kSeeds = 60;
  const std::uint64_t first = first_seed_of_today();
  SwarmReport sum;
  for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) {
    const SwarmPlan plan = SwarmPlan::draw(GetParam(), seed, true);
    const SwarmReport report = run_swarm(plan);
    ASSERT_EQ(report.violation, "") << "again: hapax sim " << GetParam()
                                    << " --faults swarm --fixed --seed " << seed << " --seeds 1\n"
                                    << plan.text() << "\n"
                                    << fmt::format("{}", fmt::join(run_swarm(plan, 60).log, "\n"));
    sum.add(report);
  }
  EXPECT_GT(sum.entries, 1'000u);
  EXPECT_GT(sum.faults, 200u);
}

TEST_P(Swarms, DoNoHarm) {
  constexpr std::uint64_t kSeeds = 160;
  const std::uint64_t first = first_seed_of_today();
  SwarmReport sum;
  for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) {
    const SwarmPlan plan = SwarmPlan::draw(GetParam(), seed);
    const SwarmReport report = run_swarm(plan);
    ASSERT_EQ(report.violation, "")
        << "again: hapax sim " << GetParam() << " --faults swarm --seed " << seed << " --seeds 1\n"
        << plan.text() << "\n"
        << fmt::format("{}", fmt::join(run_swarm(plan, 60).log, "\n"));
    sum.add(report);
  }
  // Something went on, and went wrong.
  EXPECT_GT(sum.entries, 5'000u);
  EXPECT_GT(sum.lost, 50u);
  EXPECT_GT(sum.stale_refused, 0u);
  EXPECT_GT(sum.views, 500u);
  EXPECT_GT(sum.faults, 500u);
  EXPECT_GT(sum.meetings, 1'000u);
  EXPECT_GT(sum.repeated, 100u);
  EXPECT_GT(sum.holes, 50u);
  EXPECT_GT(sum.overflows, 10u);
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

TEST(Swarm, OfFixedListsAreCaughtWithoutTheirRules) {
  const auto caught_by = [](const char* what, auto&& spoil) {
    std::uint64_t caught = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      SwarmPlan plan = SwarmPlan::draw("naimi-trehel", seed, true);
      spoil(plan);
      if (run_swarm(plan).violation.find(what) != std::string::npos) ++caught;
    }
    return caught;
  };
  const auto be_hasty = [](SwarmPlan& plan) {
    plan.hasty = true;
    plan.hold = std::chrono::seconds{3};
  };
  EXPECT_GT(caught_by("inside at once", be_hasty), 0u);
  EXPECT_GT(caught_by("fence", [](SwarmPlan& plan) { plan.forgetful = true; }), 0u);
}

TEST(Swarm, AreCaughtWithoutTheRulesForAnEngineThatForgets) {
  std::uint64_t overlaps = 0;
  std::uint64_t fences = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SwarmPlan plan = SwarmPlan::draw("naimi-trehel", seed);
    plan.wipes = plan.crashes = 30;
    plan.hasty = true;
    if (run_swarm(plan).violation.find("inside at once") != std::string::npos) ++overlaps;
    plan.hasty = false;
    plan.forgetful = true;
    if (run_swarm(plan).violation.find("fence") != std::string::npos) ++fences;
  }
  EXPECT_GT(overlaps, 0u);
  EXPECT_GT(fences, 0u);
}

// Of programs that are members, and keep what they have unlocked.
TEST(Swarm, AreCaughtWhenTheyEnterWhatIsKeptWithoutTheRules) {
  std::uint64_t entries = 0;
  std::uint64_t late = 0;
  std::uint64_t fences = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SwarmPlan plan = SwarmPlan::draw("carvalho-roucairol", seed);
    plan.threads = 4;
    plan.clients = 2;
    plan.pauses = 30;
    entries += run_swarm(plan).kept_entries;
    plan.trusting = true;
    if (run_swarm(plan).violation.find("after the lease is over") != std::string::npos) ++late;
    plan.trusting = false;
    plan.secretive = true;
    if (run_swarm(plan).violation.find("fence") != std::string::npos) ++fences;
  }
  EXPECT_GT(entries, 0u);
  EXPECT_GT(late, 0u);
  EXPECT_GT(fences, 0u);
}

// A program woke up when its lease was over, and gave back what it had kept before its member
// looked at the lease: the turns that it had taken by itself were forgotten, and its next fence was
// not larger.
TEST(Swarm, DoNotForgetTheTurnsOfWhatIsGivenBackTooLate) {
  for (const std::uint64_t seed : {std::uint64_t{19630143204}, std::uint64_t{19630143060}}) {
    EXPECT_EQ(run_swarm(SwarmPlan::draw("carvalho-roucairol", seed)).violation, "") << seed;
  }
}

// Of clients that keep what they have unlocked, in memory that they share with their member.
TEST(Swarm, AreCaughtWhenClientsEnterWhatIsKeptWithoutTheRules) {
  for (const bool fixed : {false, true}) {
    std::uint64_t entries = 0;
    std::uint64_t late = 0;
    std::uint64_t fences = 0;
    std::uint64_t grabs = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      SwarmPlan plan = SwarmPlan::draw("carvalho-roucairol", seed, fixed);
      plan.threads = 0;
      plan.clients = 6;
      plan.keeping = true;
      plan.pauses = 30;
      const SwarmReport report = run_swarm(plan);
      EXPECT_EQ(report.violation, "") << plan.text();
      entries += report.kept_entries;
      plan.trusting = true;
      if (run_swarm(plan).violation.find("after the lease is over") != std::string::npos) ++late;
      plan.trusting = false;
      plan.secretive = true;
      if (run_swarm(plan).violation.find("fence") != std::string::npos) ++fences;
      plan.secretive = false;
      plan.grabbing = true;
      if (run_swarm(plan).violation.find("inside at once") != std::string::npos) ++grabs;
    }
    EXPECT_GT(entries, 1'000u);
    // In a fixed list a promise is over when the client hangs up, and who sleeps is waited for.
    if (!fixed) {
      EXPECT_GT(late, 0u);
    }
    EXPECT_GT(fences, 0u) << fixed;
    EXPECT_GT(grabs, 0u) << fixed;
  }
}

// Another algorithm and another TTL, again and again, besides all else that goes wrong.
TEST(Swarm, DoNoHarmWhenSettingsAreChangedOften) {
  std::uint64_t caught = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SwarmPlan plan = SwarmPlan::draw("carvalho-roucairol", first_seed_of_today() + seed);
    plan.wipes = plan.restores = 0;
    plan.settings = 40;
    plan.pauses = 30;
    plan.crashes = plan.engine_cuts = 10;
    plan.cuts = plan.resets = plan.leaves = plan.evictions = plan.deletions = 2;
    plan.hold = plan.times.ttl;  // Clients that are inside when their member falls asleep.
    const SwarmReport report = run_swarm(plan);
    ASSERT_EQ(report.violation, "") << plan.text() << "\n"
                                    << fmt::format("{}", fmt::join(run_swarm(plan, 60).log, "\n"));
    plan.blunt = true;
    if (run_swarm(plan).violation.find("inside at once") != std::string::npos) ++caught;
  }
  EXPECT_GT(caught, 0u) << "what the rule is for: a shorter TTL is said when all is over that was "
                           "promised by the longer";
}

// Who has been there all the time knows the longest TTL, whatever the engine remembers.
TEST(Swarm, DoNoHarmWhenTheEngineForgetsSettings) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    SwarmPlan plan = SwarmPlan::draw("naimi-trehel", first_seed_of_today() + seed);
    plan.crashes = 0;  // A new process knows nothing.
    plan.settings = 30;
    plan.restores = 20;
    plan.wipes = 5;
    plan.pauses = 20;
    plan.cuts = plan.resets = plan.leaves = plan.evictions = plan.deletions = 2;
    plan.engine_cuts = 15;
    plan.hold = plan.times.ttl;
    const SwarmReport report = run_swarm(plan);
    ASSERT_EQ(report.violation, "") << plan.text() << "\n"
                                    << fmt::format("{}", fmt::join(run_swarm(plan, 60).log, "\n"));
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
