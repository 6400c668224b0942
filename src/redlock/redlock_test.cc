#include "redlock/redlock.h"

#include <gmock/gmock.h>
#include <string>

#include "redlock/run_redlock.h"

namespace hapax {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

CheckReport check_with(const RedlockOptions& options) {
  return check_redlock(options, [](const SearchProgress&) { return true; });
}

TEST(Redlock, IsGoodForWhatIsLeftAtAMajority) {
  constexpr Redlock rule{5, 100, 3};
  EXPECT_EQ(rule.majority(), 3u);
  EXPECT_EQ(rule.good_for(3, 20), 77);
  EXPECT_LE(rule.good_for(2, 0), 0);
  EXPECT_LE(rule.good_for(5, 97), 0);
}

TEST(RedlockCheck, HoldsWhileClocksAgreeAndNobodyStops) {
  for (const RedlockOptions& options :
       {RedlockOptions{.servers = 1, .tries = 2}, RedlockOptions{.servers = 2, .tries = 1},
        RedlockOptions{.servers = 3, .tries = 1}}) {
    const CheckReport report = check_with(options);
    EXPECT_EQ(report.verdict, Verdict::holds) << options.servers << ": " << report.finding;
    EXPECT_GT(report.states, 100u);
  }
}

TEST(RedlockCheck, APauseLetsTwoInside) {
  const CheckReport report = check_with({.pause = true});
  EXPECT_EQ(report.verdict, Verdict::violated);
  EXPECT_EQ(report.finding, "P1 and P2 are inside");
  EXPECT_THAT(report.commands, Contains(HasSubstr("is stopped where it is")));
}

TEST(RedlockCheck, AFastClockLetsTwoInside) {
  EXPECT_EQ(check_with({.drift = true}).property, "exclusion");
  EXPECT_EQ(check_with({.servers = 1, .drift = true}).property, "exclusion");
}

TEST(RedlockCheck, AServerThatForgetsLetsTwoInside) {
  EXPECT_EQ(check_with({.restart = true}).property, "exclusion");
}

// A gate makes up for pauses and for clocks, since fences come from a count that a majority has.
TEST(RedlockCheck, BehindAGateNoUpdateIsLostUnlessAServerForgets) {
  const CheckReport report = check_with({.pause = true, .gate = true});
  EXPECT_EQ(report.verdict, Verdict::holds) << report.finding;
  EXPECT_EQ(check_with({.restart = true, .gate = true}).property, "updates");
}

}  // namespace
}  // namespace hapax
