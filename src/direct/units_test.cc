#include "direct/units.h"

#include <gtest/gtest.h>

namespace hapax::direct {
namespace {

TEST(Units, AreThoseOfTheFirstPatternThatFits) {
  const auto units = Units::parse("pool/gpu=1,pool/*=4,a=b=2");
  ASSERT_TRUE(units) << units.error().message;
  EXPECT_EQ(units->of("pool/gpu"), 1u);
  EXPECT_EQ(units->of("pool/x"), 4u);
  EXPECT_EQ(units->of("a=b"), 2u);
  EXPECT_EQ(units->of("pool"), 0u) << "no semaphore";
  EXPECT_EQ(Units::parse("")->of("pool/x"), 0u);
}

TEST(Units, HaveToBeSaid) {
  for (const char* wrong : {"pool", "pool=", "=2", "pool=0", "pool=x", "pool=2x", "pool=-1",
                            "pool=2,,a=1", "pool=99999999999999999999"}) {
    EXPECT_FALSE(Units::parse(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace hapax::direct
