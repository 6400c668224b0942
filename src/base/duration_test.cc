#include "base/duration.h"

#include <gmock/gmock.h>

namespace hapax {
namespace {

using ::testing::HasSubstr;

TEST(Duration, IsANumberWithAUnit) {
  EXPECT_EQ(*parse_duration("0ns", "x"), 0);
  EXPECT_EQ(*parse_duration("250us", "x"), 250'000);
  EXPECT_EQ(*parse_duration("250µs", "x"), 250'000);
  EXPECT_EQ(*parse_duration("1ms", "x"), kMillisecond);
  EXPECT_EQ(*parse_duration("2.5s", "x"), 2'500 * kMillisecond);
  EXPECT_EQ(*parse_duration("60min", "x"), kLongestDuration);
  EXPECT_EQ(*parse_duration("1.4ns", "x"), 1) << "rounded";
}

TEST(Duration, OutOfRangeIsRefused) {
  for (const char* text : {"-1ms", "61min", "1e30s", "nanms", "infs", "-infs"}) {
    const auto duration = parse_duration(text, "--cs");
    ASSERT_FALSE(duration.has_value()) << text;
    EXPECT_THAT(duration.error().message, HasSubstr("--cs"));
    EXPECT_THAT(duration.error().message, HasSubstr("use 0ns … 60min")) << text;
  }
}

TEST(Duration, WhatIsNoDurationIsRefused) {
  for (const char* text : {"", "ms", "5", "5 ms", "5h", "5msx", "x5ms", "1e999s", "--1ms"}) {
    const auto duration = parse_duration(text, "latency");
    ASSERT_FALSE(duration.has_value()) << text;
    EXPECT_THAT(duration.error().message, HasSubstr("write a number with a unit")) << text;
  }
}

TEST(Duration, IsShownInTheUnitThatFits) {
  EXPECT_EQ(format_duration(0), "0 ns");
  EXPECT_EQ(format_duration(9'999), "9999 ns");
  EXPECT_EQ(format_duration(1'500'000), "1.5 ms");
  EXPECT_EQ(format_duration(2 * kSecond), "2 s");
}

}  // namespace
}  // namespace hapax
