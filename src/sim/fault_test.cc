#include "sim/fault.h"

#include <gmock/gmock.h>

#include "base/text.h"

namespace hapax {
namespace {

using ::testing::HasSubstr;

Result<FaultPlan> plan(std::initializer_list<const char*> texts, std::uint32_t n,
                       std::uint64_t seed = 1) {
  std::vector<Fault> faults;
  for (const char* text : texts) faults.push_back(*parse_fault(text));
  Prng prng{seed};
  return FaultPlan::draw(faults, n, prng);
}

TEST(Fault, ProbabilitiesAreRead) {
  EXPECT_EQ(plan({"loss:0.25"}, 3)->loss(), 0.25);
  EXPECT_EQ(plan({"dup:1"}, 3)->dup(), 1);
  EXPECT_TRUE(plan({"dup:1"}, 3)->any());
  EXPECT_FALSE(plan({}, 3)->any());
  EXPECT_FALSE(plan({"loss:0"}, 3)->any());
}

TEST(Fault, ACrashLastsForEver) {
  const auto crash = plan({"crash:2@50ms"}, 3)->scheduled();
  ASSERT_EQ(crash.size(), 1u);
  EXPECT_EQ(crash[0].kind, Fault::Kind::crash);
  EXPECT_EQ(to_text(crash[0].processes), "{#2}");
  EXPECT_EQ(crash[0].from, 50 * kMillisecond);
  EXPECT_EQ(crash[0].until, kNever);
}

TEST(Fault, APauseEnds) {
  const auto pause = plan({"pause:0@50ms+20ms"}, 3)->scheduled();
  ASSERT_EQ(pause.size(), 1u);
  EXPECT_EQ(pause[0].kind, Fault::Kind::pause);
  EXPECT_EQ(pause[0].until, 70 * kMillisecond);
}

TEST(Fault, APartitionHasASideAndMayEnd) {
  const auto partition = plan({"partition:0-2,5@1s+1s", "partition:1@1s"}, 6)->scheduled();
  ASSERT_EQ(partition.size(), 2u);
  EXPECT_EQ(to_text(partition[0].processes), "{#0,#1,#2,#5}");
  EXPECT_EQ(partition[0].until, 2 * kSecond);
  EXPECT_EQ(partition[1].until, kNever);
}

TEST(Fault, AnyProcessAndARangeOfTimesAreDrawnFromTheSeed) {
  NodeSet victims;
  Nanos least = kNever;
  Nanos most = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto crash = plan({"crash:any@10ms..90ms"}, 4, seed)->scheduled();
    const auto again = plan({"crash:any@10ms..90ms"}, 4, seed)->scheduled();
    EXPECT_EQ(crash[0].from, again[0].from);
    EXPECT_TRUE(crash[0].processes == again[0].processes);
    victims.insert(*crash[0].processes.begin());
    least = std::min(least, crash[0].from);
    most = std::max(most, crash[0].from);
  }
  EXPECT_EQ(to_text(victims), "{#0,#1,#2,#3}");
  EXPECT_GE(least, 10 * kMillisecond);
  EXPECT_LT(least, 20 * kMillisecond);
  EXPECT_LE(most, 90 * kMillisecond);
  EXPECT_GT(most, 80 * kMillisecond);
}

TEST(Fault, AProcessThatIsNoneIsRefused) {
  const auto refused = plan({"crash:3@50ms"}, 3);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("the processes are 0 … 2"));
}

TEST(Fault, WhatMakesNoSenseIsRefusedWithExamples) {
  for (const char* text : {"",
                           "loss",
                           "fire:1",
                           "loss:2",
                           "loss:-0.1",
                           "loss:nan",
                           "loss:x",
                           "dup:0.1x",
                           "crash:3",
                           "crash:@5ms",
                           "crash:x@5ms",
                           "crash:0-1@5ms",
                           "crash:3@5ms+1ms",
                           "pause:3@5ms",
                           "partition:any@5ms+1s",
                           "partition:@1ms",
                           "partition:4-2@1ms",
                           "partition:0-@1ms",
                           "crash:3@9ms..1ms",
                           "crash:99999999999@5ms",
                           "crash:-1@5ms"}) {
    const auto fault = parse_fault(text);
    ASSERT_FALSE(fault.has_value()) << text;
    EXPECT_THAT(fault.error().message, HasSubstr("write loss:0.01")) << text;
  }
  for (const char* text : {"crash:3@", "crash:3@5", "pause:3@5ms+x", "crash:3@1ms..",
                           "crash:3@-1ms", "partition:0@1h"}) {
    ASSERT_FALSE(parse_fault(text).has_value()) << text;
    EXPECT_THAT(parse_fault(text).error().message, HasSubstr("fault")) << text;
  }
}

}  // namespace
}  // namespace hapax
