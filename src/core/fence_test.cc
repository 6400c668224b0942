#include "core/fence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <string>

namespace hapax {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(FenceText, IsReadBack) {
  for (const Fence fence : {Fence{}, Fence{Epoch{3}, Turn{17}}, Fence{Epoch{kMost}, Turn{kMost}}}) {
    EXPECT_EQ(parse_fence(to_string(fence)), fence) << to_string(fence);
  }
  EXPECT_EQ(to_string(Fence{Epoch{3}, Turn{17}}), "3.17");
}

TEST(FenceText, IsTheSameEverywhere) {
  const Fence fence{Epoch{3}, Turn{17}};
  std::ostringstream stream;
  stream << fence;
  EXPECT_EQ(stream.str(), "3.17");
  EXPECT_EQ(fmt::format("{}", fence), "3.17");
  EXPECT_EQ(fmt::format("{:>6}", fence), "  3.17");
}

// One fence, one text: a script may compare texts for equality.
TEST(FenceText, HasOneSpelling) {
  for (const char* text : {"", ".", "3", "3.", ".17", "3.17 ", " 3.17", "+3.17", "3.-1", "03.17",
                           "3.017", "3.17.1", "3,17", "3.18446744073709551616", "0x3.1"}) {
    EXPECT_EQ(parse_fence(text), std::nullopt) << '"' << text << '"';
  }
  EXPECT_TRUE(parse_fence("0.0"));
}

}  // namespace
}  // namespace hapax
