#include "locks/lock_delays.h"

#include <gtest/gtest.h>

namespace hapax {
namespace {

using namespace std::chrono_literals;

TEST(LockDelays, AreOfTheFirstPatternThatMatches) {
  LockDelays delays;
  EXPECT_EQ(delays.of("orders/1"), 0ms);
  ASSERT_TRUE(delays.add("orders/1=0s"));
  ASSERT_TRUE(delays.add("orders/*=1.5s"));
  EXPECT_EQ(delays.of("orders/1"), 0ms);
  EXPECT_EQ(delays.of("orders/2"), 1'500ms);
  EXPECT_EQ(delays.of("others"), 0ms);
}

TEST(LockDelays, AreRulesOfAMinuteAtMost) {
  LockDelays delays;
  for (const char* rule : {"orders", "=3s", "orders=", "orders=soon", "orders=61s", "orders=-1s"}) {
    EXPECT_FALSE(delays.add(rule)) << rule;
  }
}

}  // namespace
}  // namespace hapax
