#include "sim/workload.h"

#include <gmock/gmock.h>

namespace hapax {
namespace {

using ::testing::HasSubstr;

TEST(Load, IsReadAndShown) {
  EXPECT_EQ(Load::parse("low")->kind, Load::Kind::low);
  EXPECT_EQ(Load::parse("high")->kind, Load::Kind::high);
  EXPECT_EQ(Load::parse("poisson:12.5")->kind, Load::Kind::poisson);
  EXPECT_EQ(Load::parse("poisson:12.5")->rate, 12.5);
  for (const char* text : {"low", "high", "poisson:12.5", "poisson:100"}) {
    EXPECT_EQ(Load::parse(text)->text(), text);
  }
}

TEST(Load, WhatMakesNoSenseIsRefusedWithAnExample) {
  for (const char* text : {"", "medium", "pairs", "poisson", "Low"}) {
    ASSERT_FALSE(Load::parse(text).has_value()) << text;
    EXPECT_THAT(Load::parse(text).error().message, HasSubstr("use low, high or poisson:RATE"));
  }
  for (const char* text : {"poisson:", "poisson:0", "poisson:-1", "poisson:nan", "poisson:inf",
                           "poisson:1e10", "poisson:1x", "poisson:1/s"}) {
    ASSERT_FALSE(Load::parse(text).has_value()) << text;
    EXPECT_THAT(Load::parse(text).error().message, HasSubstr("from 0.001 to 1e9")) << text;
  }
}

}  // namespace
}  // namespace hapax
