#include "base/check.h"

#include <gtest/gtest.h>
#include <vector>

#include "base/ids.h"

namespace hapax {
namespace {

enum class Colour : std::uint8_t { red, green };
constexpr std::string_view name_of(Colour colour) {
  return colour == Colour::red ? "red" : "green";
}
struct Opaque {
  friend bool operator==(const Opaque&, const Opaque&) { return false; }
};

TEST(CheckDeathTest, PrintsTheExpressionAndTheValuesOfBothSides) {
  const int had = 3;
  EXPECT_DEATH(HAPAX_CHECK(had == 4), "check_test.cc:[0-9]+\n  had == 4\n  with 3 == 4\n");
  EXPECT_DEATH(HAPAX_CHECK(had != 3), "with 3 != 3");
  EXPECT_DEATH(HAPAX_CHECK(had < 3), "with 3 < 3");
  EXPECT_DEATH(HAPAX_CHECK(had <= 2), "with 3 <= 2");
  EXPECT_DEATH(HAPAX_CHECK(had > 3), "with 3 > 3");
  EXPECT_DEATH(HAPAX_CHECK(had >= 4), "with 3 >= 4");
}

TEST(CheckDeathTest, ShowsIdsAndNamesAsInTheRestOfTheProgram) {
  EXPECT_DEATH(HAPAX_CHECK(NodeId{1} == NodeId{2}), "with #1 == #2");
  EXPECT_DEATH(HAPAX_CHECK(Colour::red == Colour::green), "with red == green");
  EXPECT_DEATH(HAPAX_CHECK(Opaque{} == Opaque{}), "with … == …");
}

TEST(CheckDeathTest, APlainConditionShowsItsValue) {
  const std::vector<int> none;
  EXPECT_DEATH(HAPAX_CHECK(!none.empty()), "!none.empty\\(\\)\n  with false");
}

TEST(CheckDeathTest, TellsThatItIsOurBug) {
  EXPECT_DEATH(HAPAX_CHECK(false), "This is a bug in hapax");
}

TEST(Check, LooksAtItsOperandsOnceWhenItHolds) {
  int looks = 0;
  const auto look = [&] { return ++looks; };
  HAPAX_CHECK(look() == 1);
  EXPECT_EQ(looks, 1);
}

}  // namespace
}  // namespace hapax
