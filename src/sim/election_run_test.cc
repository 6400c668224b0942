#include "sim/election_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "election/catalog.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kAll[] = {"bully", "ring-election", "chang-roberts"};
constexpr Nanos kHop = 1000;

ElectionScenario scene(std::uint32_t members, std::initializer_list<std::uint32_t> starters) {
  ElectionScenario scenario;
  scenario.members = members;
  scenario.latency_min_ns = scenario.latency_max_ns = kHop;
  scenario.detection_ns = 5 * kHop;
  scenario.self_check = true;
  for (const std::uint32_t member : starters) scenario.starters.push_back({NodeId{member}, 0});
  return scenario;
}

std::string complaints(const ElectionReport& report) {
  std::string all;
  for (const auto& violation : report.violations) {
    all += std::string{name_of(violation.fault)} + ": " + violation.text + "\n";
  }
  return all;
}

ElectionReport run(std::string_view algorithm, const ElectionScenario& scenario) {
  auto report = run_election(algorithm, scenario);
  EXPECT_TRUE(report.has_value());
  return report ? *report : ElectionReport{};
}

std::uint64_t cost(std::string_view algorithm, const ElectionScenario& scenario) {
  const ElectionReport report = run(algorithm, scenario);
  EXPECT_EQ(complaints(report), "");
  EXPECT_EQ(report.lost, 0U);
  return report.sent;
}

TEST(ElectionRunPaper, TenMembersAsInTheLectures) {
  ElectionScenario best = scene(10, {8});
  best.down = {NodeId{9}};
  EXPECT_EQ(cost("bully", best), 8U);
  ElectionScenario worst = scene(10, {0});
  worst.down = {NodeId{9}};
  EXPECT_EQ(cost("bully", worst), 80U);
  EXPECT_EQ(cost("ring-election", scene(10, {4})), 20U);
  EXPECT_EQ(cost("chang-roberts", scene(10, {9})), 20U);
  EXPECT_EQ(cost("chang-roberts", scene(10, {0})), 29U);
  ElectionScenario all = scene(10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  all.direction = Direction::descending;
  EXPECT_EQ(cost("chang-roberts", all), 65U);
}

TEST(ElectionRun, CountsByKindAndTellsTheTime) {
  ElectionScenario worst = scene(10, {0});
  worst.down = {NodeId{9}};
  const ElectionReport report = run("bully", worst);
  ASSERT_EQ(report.messages.size(), 3U);
  EXPECT_EQ(report.messages[0].kind, "ELECTION");
  EXPECT_EQ(report.messages[0].sent, 36U);
  EXPECT_EQ(report.messages[1].kind, "OK");
  EXPECT_EQ(report.messages[1].sent, 36U);
  EXPECT_EQ(report.messages[2].kind, "COORDINATOR");
  EXPECT_EQ(report.messages[2].sent, 8U);
  EXPECT_EQ(report.decided_ns, 2 * kHop);  // ELECTION, COORDINATOR.
  EXPECT_EQ(report.quiet_ns, 3 * kHop);    // The last OK is one more.
  EXPECT_EQ(run("ring-election", scene(10, {0})).quiet_ns, 20 * kHop);
  EXPECT_FALSE(report.members[9].live);
  EXPECT_EQ(report.members[0].leader, NodeId{8});
  ASSERT_EQ(report.timeline.size(), 9U);
  EXPECT_EQ(report.timeline[0].member, NodeId{8});
  EXPECT_EQ(report.timeline[0].at, kHop);
}

TEST(ElectionRun, ExplainsItselfOnRequest) {
  ElectionScenario scenario = scene(2, {0});
  EXPECT_TRUE(run("bully", scenario).reasons.empty());
  scenario.explain = true;
  const ElectionReport report = run("bully", scenario);
  ASSERT_FALSE(report.reasons.empty());
  EXPECT_EQ(report.reasons[0].text, "#0 holds election 1: it asks the 1 that outrank it");
}

// Any member crashes at any moment of an election of three to five; the others are told at once, or
// each at its own time.
TEST(ElectionRunFaults, ACrashAtAnyMomentLeavesOneLeader) {
  for (const auto algorithm : kAll) {
    for (std::uint32_t n = 3; n <= 5; ++n) {
      for (std::uint32_t victim = 0; victim < n; ++victim) {
        for (Nanos at = 0; at < 16 * kHop; at += kHop / 2) {
          for (const Nanos spread : {Nanos{0}, 7 * kHop}) {
            ElectionScenario scenario = scene(n, {0, n - 2});
            scenario.latency_max_ns = 3 * kHop;
            scenario.seed = static_cast<std::uint64_t>(at) + n;
            scenario.fifo = (at / kHop) % 2 == 0;
            scenario.detection_ns = kHop / 2 + at % (3 * kHop);
            scenario.detection_spread_ns = spread;
            scenario.crashes = {{NodeId{victim}, at, std::nullopt}};
            EXPECT_EQ(complaints(run(algorithm, scenario)), "")
                << algorithm << " n=" << n << " victim=" << victim << " at=" << at;
          }
        }
      }
    }
  }
}

TEST(ElectionRunFaults, TheWinnerToBeAndTheNextOneFallAsWell) {
  for (const auto algorithm : kAll) {
    for (Nanos first = 0; first < 20 * kHop; first += kHop) {
      for (Nanos second = first; second < 30 * kHop; second += 3 * kHop) {
        ElectionScenario scenario = scene(5, {0});
        scenario.crashes = {{NodeId{4}, first, std::nullopt}, {NodeId{3}, second, std::nullopt}};
        const ElectionReport report = run(algorithm, scenario);
        EXPECT_EQ(complaints(report), "") << algorithm << " " << first << " " << second;
        EXPECT_EQ(report.members[0].leader, NodeId{2});
      }
    }
  }
}

TEST(ElectionRunFaults, TheHighestComesBackAndLeadsAgain) {
  for (const auto algorithm : kAll) {
    for (const Nanos away : {0 * kHop, 1 * kHop, 40 * kHop}) {
      ElectionScenario scenario = scene(5, {0});
      scenario.crashes = {{NodeId{4}, 20 * kHop, 20 * kHop + away}};
      const ElectionReport report = run(algorithm, scenario);
      EXPECT_EQ(complaints(report), "") << algorithm << " " << away;
      EXPECT_EQ(report.members[0].leader, NodeId{4});
    }
  }
}

TEST(ElectionRunFaults, APartitionHasTwoLeadersEachTheHighestOfItsSide) {
  for (const auto algorithm : kAll) {
    ElectionScenario scenario = scene(5, {0});
    scenario.partition = {{NodeId{0}, NodeId{1}, NodeId{2}}, 50 * kHop, std::nullopt};
    const ElectionReport report = run(algorithm, scenario);
    EXPECT_EQ(complaints(report), "") << algorithm;
    EXPECT_TRUE(report.two_leaders);
    ASSERT_TRUE(report.rivals.has_value());
    EXPECT_EQ(report.rivals->lower, NodeId{2});
    EXPECT_EQ(report.rivals->higher, NodeId{4});
    EXPECT_EQ(report.members[0].leader, NodeId{2});
    EXPECT_EQ(report.members[3].leader, NodeId{4});
    EXPECT_EQ(report.members[0].side, 1U);
    EXPECT_EQ(report.members[3].side, 0U);
  }
}

// Neither side hears of the other's elections, so terms cannot decide between their leaders.
TEST(ElectionRunFaults, TheTermsOfTwoLeadersMayBeEqual) {
  for (const auto algorithm : kAll) {
    int equal = 0;
    for (std::uint32_t draw = 0; draw < 140; ++draw) {
      const std::uint32_t mask = draw % 14 + 1;
      ElectionScenario scenario = scene(4, {0});
      scenario.seed = draw;
      scenario.detection_spread_ns = 4 * kHop;
      scenario.partition = ElectionScenario::Partition{{}, kHop / 2, std::nullopt};
      for (std::uint32_t i = 0; i < 4; ++i) {
        if ((mask >> i & 1) != 0) scenario.partition->side.insert(NodeId{i});
      }
      const ElectionReport report = run(algorithm, scenario);
      EXPECT_EQ(complaints(report), "");
      ASSERT_TRUE(report.two_leaders);
      equal += report.rivals->lower_term == report.rivals->higher_term ? 1 : 0;
    }
    EXPECT_GT(equal, 0) << algorithm;
  }
}

TEST(ElectionRunFaults, AfterHealingThereIsOneLeader) {
  for (const auto algorithm : kAll) {
    for (Nanos from = 0; from < 20 * kHop; from += kHop) {
      for (const Nanos lasts : {0 * kHop, 3 * kHop, 60 * kHop}) {
        ElectionScenario scenario = scene(6, {0, 3});
        scenario.partition = {{NodeId{0}, NodeId{4}, NodeId{5}}, from, from + lasts};
        scenario.detection_spread_ns = 3 * kHop;
        scenario.seed = static_cast<std::uint64_t>(from);
        const ElectionReport report = run(algorithm, scenario);
        EXPECT_EQ(complaints(report), "") << algorithm << " " << from << " " << lasts;
        EXPECT_EQ(report.members[1].leader, NodeId{5});
      }
    }
  }
}

TEST(ElectionRunFaults, EverythingAtOnceBySeed) {
  for (const auto algorithm : kAll) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      ElectionScenario scenario = scene(static_cast<std::uint32_t>(3 + seed % 6), {0, 1});
      scenario.seed = seed;
      scenario.latency_max_ns = kHop * static_cast<Nanos>(1 + seed % 9);
      scenario.fifo = seed % 2 == 0;
      scenario.detection_ns = kHop * static_cast<Nanos>(seed % 7);
      scenario.detection_spread_ns = kHop * static_cast<Nanos>(seed % 5);
      const auto some = [&](std::uint64_t salt) {
        return NodeId{static_cast<std::uint32_t>((seed / 3 + salt) % scenario.members)};
      };
      const auto when = static_cast<Nanos>(seed * 97 % 20'000);
      scenario.crashes = {{some(0), when, when + 9 * kHop}, {some(1), 2 * when, std::nullopt}};
      scenario.partition = {{some(2), some(4)}, when / 2, when + 4 * kHop};
      EXPECT_EQ(complaints(run(algorithm, scenario)), "") << algorithm << " seed " << seed;
    }
  }
}

TEST(ElectionRun, IsTheSameEveryTime) {
  ElectionScenario scenario = scene(7, {1, 3});
  scenario.latency_max_ns = 9 * kHop;
  scenario.crashes = {{NodeId{6}, 4 * kHop, 50 * kHop}};
  scenario.explain = true;
  for (const auto algorithm : kAll) {
    const ElectionReport a = run(algorithm, scenario), b = run(algorithm, scenario);
    ASSERT_EQ(a.reasons.size(), b.reasons.size());
    for (std::size_t i = 0; i < a.reasons.size(); ++i) {
      EXPECT_EQ(a.reasons[i].at, b.reasons[i].at);
      EXPECT_EQ(a.reasons[i].text, b.reasons[i].text);
    }
  }
}

TEST(ElectionRun, ManyMembersAreNoTrouble) {
  EXPECT_EQ(cost("chang-roberts", scene(100'000, {99'000})), 200'000U + 999U);
  ElectionScenario best = scene(100'000, {99'998});
  best.down = {NodeId{99'999}};
  EXPECT_EQ(cost("bully", best), 99'998U);
}

TEST(ElectionRun, SaysWhatWentWrong) {
  EXPECT_THAT(complaints(run("bully", scene(3, {}))), HasSubstr("nobody elected"));
  ElectionScenario scenario = scene(9, {0});
  scenario.event_limit = 10;
  EXPECT_THAT(complaints(run("ring-election", scenario)), HasSubstr("did not come to rest"));
}

TEST(ElectionRun, RefusesScenariosThatMakeNoSense) {
  const auto refusal = [](const ElectionScenario& scenario, std::string_view name = "bully") {
    const auto report = run_election(name, scenario);
    return report ? std::string{} : report.error().message;
  };
  EXPECT_EQ(refusal(scene(3, {3})), "#3 starts, but is no member");
  EXPECT_EQ(refusal(scene(0, {})), "an election needs at least one member");
  EXPECT_EQ(refusal(scene(3, {0}), "lottery"),
            "no election algorithm is called 'lottery': there are bully, ring-election, "
            "chang-roberts");
  ElectionScenario scenario = scene(3, {0});
  scenario.crashes = {{NodeId{1}, 5, 4}};
  EXPECT_EQ(refusal(scenario), "#1 is back before it crashes");
  scenario.crashes = {{NodeId{1}, 5, {}}, {NodeId{1}, 9, {}}};
  EXPECT_EQ(refusal(scenario), "#1 crashes twice");
  scenario.crashes.clear();
  scenario.partition = {{NodeId{7}}, 0, {}};
  EXPECT_EQ(refusal(scenario), "#7 is on a side of the partition, but is no member");
  scenario.partition = {{NodeId{0}}, 5, 4};
  EXPECT_EQ(refusal(scenario), "the partition ends before it begins");
}

}  // namespace
}  // namespace hapax
