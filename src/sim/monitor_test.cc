#include "sim/monitor.h"

#include <gmock/gmock.h>

namespace hapax {
namespace {

using ::testing::HasSubstr;

constexpr Nanos kT = 10;
constexpr NodeId kA{0}, kB{1}, kC{2};

Fence fence(std::uint64_t turn) { return {Epoch{1}, Turn{turn}}; }

TEST(Monitor, AnHonestHistoryIsNoViolation) {
  Monitor monitor{kT};
  monitor.asked(kA, 0);
  monitor.asked(kB, 1);
  monitor.entered(kA, fence(1), 20);
  monitor.left(kA, 30);
  monitor.entered(kB, fence(2), 40);
  monitor.left(kB, 50);
  EXPECT_TRUE(monitor.quiet());
  const SimReport report = monitor.report(2);
  EXPECT_EQ(report.violation_count, 0u);
  EXPECT_EQ(report.entries, 2u);
  EXPECT_EQ(report.overtakes, 0u);
}

TEST(Monitor, TwoInsideViolateExclusion) {
  Monitor monitor{kT};
  monitor.asked(kA, 0);
  monitor.asked(kB, 0);
  monitor.entered(kA, fence(1), 20);
  monitor.entered(kB, fence(2), 25);
  const SimReport report = monitor.report(2);
  ASSERT_EQ(report.violation_count, 1u);
  EXPECT_EQ(report.violations[0].kind, Violation::Kind::exclusion);
  EXPECT_EQ(report.violations[0].at, 25);
  EXPECT_EQ(report.violations[0].text, "1 entered while 0 was inside");
}

TEST(Monitor, WhoeverStartsInsideIsInside) {
  Monitor monitor{kT};
  monitor.starts_inside(kC);
  EXPECT_FALSE(monitor.quiet());
  monitor.asked(kA, 0);
  monitor.entered(kA, fence(1), 20);
  EXPECT_EQ(monitor.report(2).violations[0].kind, Violation::Kind::exclusion);
}

TEST(Monitor, WhoeverStartsInsideNeverAskedAndHasNoResponseTime) {
  Monitor monitor{kT};
  monitor.starts_inside(kC);
  monitor.left(kC, 20);
  EXPECT_TRUE(monitor.quiet());
  EXPECT_EQ(monitor.report(2).response_time.count, 0u);
}

TEST(Monitor, ADeadProcessIsNotInside) {
  Monitor monitor{kT};
  monitor.asked(kA, 0);
  monitor.entered(kA, fence(1), 20);
  monitor.crashed(kA);
  EXPECT_TRUE(monitor.quiet());
  monitor.asked(kB, 30);
  monitor.entered(kB, fence(2), 40);
  EXPECT_EQ(monitor.violation_count(), 0u);
}

TEST(Monitor, AFenceThatDoesNotGrowIsAViolation) {
  for (const std::uint64_t second : {4u, 5u}) {
    Monitor monitor{kT};
    monitor.asked(kA, 0);
    monitor.entered(kA, fence(5), 20);
    monitor.left(kA, 30);
    monitor.asked(kB, 30);
    monitor.entered(kB, fence(second), 50);
    const SimReport report = monitor.report(2);
    ASSERT_EQ(report.violation_count, 1u);
    EXPECT_EQ(report.violations[0].kind, Violation::Kind::fence);
    EXPECT_THAT(report.violations[0].text, HasSubstr("after 1.5"));
  }
}

TEST(Monitor, ALaterEpochBeatsALargerTurn) {
  Monitor monitor{kT};
  monitor.asked(kA, 0);
  monitor.entered(kA, fence(5), 20);
  monitor.left(kA, 30);
  monitor.asked(kB, 30);
  monitor.entered(kB, {Epoch{2}, Turn{1}}, 50);
  EXPECT_EQ(monitor.violation_count(), 0u);
}

// A asked at 0 and still waits when B, who asked at `later`, enters.
std::uint64_t overtakes_after(Nanos later) {
  Monitor monitor{kT};
  monitor.asked(kA, 0);
  monitor.asked(kB, later);
  monitor.entered(kB, fence(1), 100);
  return monitor.report(2).overtakes;
}

TEST(Monitor, OvertakingCountsOnlyWhenTheNewsCouldHaveArrived) {
  EXPECT_EQ(overtakes_after(1), 0u);
  EXPECT_EQ(overtakes_after(kT), 0u) << "T later: the news is just there";
  EXPECT_EQ(overtakes_after(kT + 1), 1u);
}

TEST(Monitor, WhoeverHasBeenServedIsNotOvertaken) {
  Monitor monitor{kT};
  monitor.asked(kA, 0);
  monitor.asked(kB, 100);
  monitor.entered(kA, fence(1), 110);
  monitor.left(kA, 120);
  monitor.asked(kA, 130);
  monitor.entered(kB, fence(2), 140);
  monitor.left(kB, 150);
  monitor.entered(kA, fence(3), 160);
  EXPECT_EQ(monitor.report(2).overtakes, 0u);
}

TEST(Monitor, ClientDelayIsTheWaitOfOneWhoIsAlone) {
  Monitor monitor{kT};
  monitor.asked(kA, 5);
  monitor.entered(kA, fence(1), 25);
  monitor.left(kA, 30);
  EXPECT_EQ(monitor.report(2).client_delay.count, 1u);
  EXPECT_EQ(monitor.report(2).client_delay.mean(), 20);
  monitor.asked(kA, 40);
  monitor.asked(kB, 41);
  monitor.entered(kA, fence(2), 60);
  monitor.left(kA, 70);
  monitor.entered(kB, fence(3), 80);
  EXPECT_EQ(monitor.report(2).client_delay.count, 1u) << "neither of the two was alone";
  EXPECT_EQ(monitor.report(2).wait.count, 3u);
}

// A leaves at 100; B, who asked at `asked`, enters at 115.
std::uint64_t sync_delays_when_asked(Nanos asked) {
  Monitor monitor{kT};
  monitor.asked(kA, 0);
  monitor.entered(kA, fence(1), 20);
  monitor.asked(kB, asked);
  monitor.left(kA, 100);
  monitor.entered(kB, fence(2), 115);
  const SimReport report = monitor.report(2);
  EXPECT_EQ(report.sync_delay.mean(), report.sync_delay.count > 0 ? 15 : 0);
  return report.sync_delay.count;
}

TEST(Monitor, SynchronizationDelayCountsOnlyIfTheNextOneAskedTwoDelaysBeforeTheExit) {
  EXPECT_EQ(sync_delays_when_asked(80), 1u);
  EXPECT_EQ(sync_delays_when_asked(81), 0u);
}

TEST(Monitor, SynchronizationDelayIsCountedOncePerExit) {
  Monitor monitor{kT};
  monitor.asked(kA, 0);
  monitor.asked(kB, 0);
  monitor.asked(kC, 0);
  monitor.entered(kA, fence(1), 20);
  monitor.left(kA, 100);
  monitor.entered(kB, fence(2), 110);
  monitor.left(kB, 200);
  monitor.entered(kC, fence(3), 230);
  const SimReport report = monitor.report(3);
  EXPECT_EQ(report.sync_delay.count, 2u);
  EXPECT_EQ(report.sync_delay.least, 10);
  EXPECT_EQ(report.sync_delay.most, 30);
}

TEST(Monitor, ResponseTimeRunsFromTheRequestToTheExit) {
  Monitor monitor{kT};
  monitor.asked(kA, 10);
  monitor.entered(kA, fence(1), 30);
  monitor.left(kA, 75);
  EXPECT_EQ(monitor.report(1).response_time.mean(), 65);
  EXPECT_EQ(monitor.report(1).wait.most, 20);
}

TEST(Monitor, ThroughputIsFromTheFirstEntryToTheLast) {
  Monitor monitor{kT};
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto at = static_cast<Nanos>(i) * kSecond / 2;
    monitor.asked(kA, at);
    monitor.entered(kA, fence(i + 1), at + 100);
    monitor.left(kA, at + 200);
  }
  EXPECT_DOUBLE_EQ(monitor.report(1).throughput, 2);
}

TEST(Monitor, JainsIndexIsOneForEqualSharesAndOneNthForOneAlone) {
  Monitor monitor{kT};
  std::uint64_t turn = 0;
  const auto serve = [&](NodeId node) {
    monitor.asked(node, 0);
    monitor.entered(node, fence(++turn), 0);
    monitor.left(node, 0);
  };
  serve(kA);
  EXPECT_DOUBLE_EQ(monitor.report(4).fairness, 0.25);
  serve(kB);
  EXPECT_DOUBLE_EQ(monitor.report(2).fairness, 1);
  serve(kB);
  EXPECT_DOUBLE_EQ(monitor.report(2).fairness, 0.9);
}

TEST(Monitor, TheFingerprintIsOverWhoWhenAndWithWhichFence) {
  const auto print = [](NodeId node, Nanos at, std::uint64_t turn) {
    Monitor monitor{kT};
    monitor.asked(node, 0);
    monitor.entered(node, fence(turn), at);
    return monitor.report(1).fingerprint;
  };
  EXPECT_EQ(print(kA, 20, 1), print(kA, 20, 1));
  EXPECT_NE(print(kA, 20, 1), print(kB, 20, 1));
  EXPECT_NE(print(kA, 20, 1), print(kA, 21, 1));
  EXPECT_NE(print(kA, 20, 1), print(kA, 20, 2));
}

TEST(Monitor, OfEachKindTheFirstViolationsAreKeptInWordsAndAllAreCounted) {
  Monitor monitor{kT};
  for (int i = 0; i < 25; ++i) monitor.violated(Violation::Kind::protocol, i, "again");
  monitor.violated(Violation::Kind::exclusion, 25, "and this");
  const SimReport report = monitor.report(1);
  EXPECT_EQ(report.violation_count, 26u);
  EXPECT_EQ(report.count_of(Violation::Kind::protocol), 25u);
  EXPECT_EQ(report.count_of(Violation::Kind::exclusion), 1u);
  EXPECT_EQ(report.count_of(Violation::Kind::fence), 0u);
  EXPECT_LT(report.violations.size(), 20u);
  EXPECT_EQ(report.violations.front().at, 0);
  EXPECT_EQ(report.violations.back().text, "and this") << "many of one kind hide no other";
}

}  // namespace
}  // namespace hapax
