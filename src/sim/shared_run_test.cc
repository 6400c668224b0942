// Algorithms that let several in at once, in virtual time.
#include <gtest/gtest.h>

#include "sim/monitor.h"
#include "sim/run.h"

namespace hapax {
namespace {

SimOptions busy(double readers = 0) {
  SimOptions options;
  options.n = 8;
  options.entries = 2000;
  options.load = Load::parse("high").value();
  options.readers = readers;
  return options;
}

MutexChoices units(std::uint32_t k, std::uint32_t each = 1) {
  return {.units = k, .per_member = each};
}

TEST(SimulateReadersWriters, AnEntryTakesTwoMessagesForEveryOther) {
  for (const double readers : {0.0, 0.5, 0.8, 1.0}) {
    const SimReport report = simulate("readers-writers", busy(readers)).value();
    EXPECT_EQ(report.violation_count, 0u);
    EXPECT_EQ(report.entries, 2000u);
    EXPECT_DOUBLE_EQ(report.messages_per_entry(), 14.0) << readers;
  }
}

TEST(SimulateReadersWriters, ReadersDoNotWaitForReaders) {
  const double alone = simulate("readers-writers", busy()).value().throughput;
  const double mixed = simulate("readers-writers", busy(0.8)).value().throughput;
  const double reading = simulate("readers-writers", busy(1)).value().throughput;
  EXPECT_GT(mixed, 1.5 * alone);
  EXPECT_GT(reading, 5 * alone);
}

// Without readers it is the original, entry by entry.
TEST(SimulateReadersWriters, WritersAloneAreRicartAgrawala) {
  const SimReport ours = simulate("readers-writers", busy()).value();
  const SimReport theirs = simulate("ricart-agrawala", busy()).value();
  EXPECT_EQ(ours.fingerprint, theirs.fingerprint);
  EXPECT_EQ(ours.messages, theirs.messages);
  EXPECT_EQ(ours.sends, theirs.sends);
}

TEST(SimulateSemaphoreRa, WithOneUnitIsRicartAgrawala) {
  const SimReport ours = simulate("semaphore-ra", busy(), units(1)).value();
  const SimReport theirs = simulate("ricart-agrawala", busy()).value();
  EXPECT_EQ(ours.fingerprint, theirs.fingerprint);
  EXPECT_EQ(ours.messages, theirs.messages);
  EXPECT_EQ(ours.sends, theirs.sends);
}

TEST(SimulateSemaphoreRa, LetsInAsManyAsThereAreUnits) {
  const double one = simulate("semaphore-ra", busy(), units(1)).value().throughput;
  for (const std::uint32_t k : {2u, 3u, 5u}) {
    const SimReport report = simulate("semaphore-ra", busy(), units(k)).value();
    EXPECT_EQ(report.violation_count, 0u);
    EXPECT_EQ(report.entries, 2000u);
    EXPECT_LE(report.messages_per_entry(), 14.0);
    EXPECT_GT(report.throughput, 0.9 * k * one);
  }
}

TEST(SharedMonitor, SeesAWriterAmongReaders) {
  Monitor monitor{kMillisecond};
  monitor.lets_in(kAnyNumber);
  monitor.entered(NodeId{0}, {Epoch{1}, Turn{5}}, 1, Mode::shared);
  monitor.entered(NodeId{1}, {Epoch{1}, Turn{3}}, 2, Mode::shared);
  EXPECT_EQ(monitor.violation_count(), 0u) << "readers come in any order";
  monitor.entered(NodeId{2}, {Epoch{1}, Turn{9}}, 3, Mode::exclusive);
  EXPECT_EQ(monitor.report(3).count_of(Violation::Kind::exclusion), 2u);
}

TEST(SharedMonitor, SeesFencesThatFallBetweenThoseThatExcludeEachOther) {
  Monitor monitor{kMillisecond};
  monitor.lets_in(kAnyNumber);
  monitor.entered(NodeId{0}, {Epoch{1}, Turn{5}}, 1, Mode::shared);
  monitor.left(NodeId{0}, 2);
  monitor.entered(NodeId{1}, {Epoch{1}, Turn{4}}, 3, Mode::exclusive);
  EXPECT_EQ(monitor.report(3).count_of(Violation::Kind::fence), 1u);
  monitor.left(NodeId{1}, 4);
  monitor.entered(NodeId{2}, {Epoch{1}, Turn{3}}, 5, Mode::shared);
  EXPECT_EQ(monitor.report(3).count_of(Violation::Kind::fence), 2u);
}

TEST(SharedMonitor, SeesOneTooMany) {
  Monitor monitor{kMillisecond};
  monitor.lets_in(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    monitor.entered(NodeId{i}, {Epoch{1}, Turn{9 - i}}, 1, Mode::shared);
  }
  EXPECT_EQ(monitor.violation_count(), 0u);
  monitor.entered(NodeId{2}, {Epoch{1}, Turn{20}}, 1, Mode::shared);
  EXPECT_EQ(monitor.report(3).count_of(Violation::Kind::exclusion), 2u);
}

}  // namespace
}  // namespace hapax
