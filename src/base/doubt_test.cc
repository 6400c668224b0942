#include "base/doubt.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace hapax {
namespace {

TEST(Doubt, WhatBreaksIsAnErrorThatSaysWhat) {
  const int had = 3;
  const auto done = in_doubt("no run leads here", [&] { HAPAX_CHECK(had == 4); });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, "no run leads here: had == 4 is broken, 3 == 4");
}

TEST(Doubt, WhatHoldsIsDone) {
  int done = 0;
  EXPECT_TRUE(in_doubt("no run leads here", [&] { ++done; }).has_value());
  EXPECT_EQ(done, 1);
}

TEST(Doubt, AnInnerOneHasItsOwnSentence) {
  const auto outer = in_doubt("outer", [] {
    EXPECT_EQ(in_doubt("inner", [] { HAPAX_CHECK(false); }).error().message,
              "inner: false is broken, false");
    HAPAX_CHECK(false);
  });
  EXPECT_EQ(outer.error().message, "outer: false is broken, false");
}

TEST(DoubtDeathTest, IsOverAfterwards) {
  (void)in_doubt("no run leads here", [] { HAPAX_CHECK(false); });
  EXPECT_DEATH(HAPAX_CHECK(false), "This is a bug in hapax");
}

}  // namespace
}  // namespace hapax
