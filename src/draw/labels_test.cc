#include "draw/labels.h"

#include <gtest/gtest.h>

namespace hapax {
namespace {

TEST(Labels, TakeTheFirstOfTwoEquallyGoodSpots) {
  LabelPlacer placer{{0, 0}, {200, 100}};
  EXPECT_EQ(placer.place({{{50, 50}}, {{150, 50}}}, 40, 10)->at.x, 50);
}

TEST(Labels, KeepOffLinesAndOneAnother) {
  LabelPlacer placer{{0, 0}, {200, 100}};
  placer.avoid({50, 0}, {50, 100}, 5);
  EXPECT_EQ(placer.place({{{50, 50}}, {{150, 50}}}, 40, 10)->at.x, 150);
  EXPECT_EQ(placer.place({{{150, 50}}, {{50, 50}}}, 40, 10)->at.x, 50)
      << "standing on a line is better than standing on a label";
}

TEST(Labels, StayOnTheSheet) {
  LabelPlacer placer{{0, 0}, {200, 100}};
  EXPECT_EQ(placer.place({{{190, 50}}, {{100, 50}, 0, 30}}, 40, 10)->at.x, 100);
}

TEST(Labels, AreLeftOutWhereTheyWouldDoHarm) {
  LabelPlacer placer{{0, 0}, {200, 100}};
  placer.avoid({0, 50}, {200, 50}, 5);
  EXPECT_FALSE(placer.place({{{100, 50}}}, 40, 10, 4).has_value());
  EXPECT_TRUE(placer.place({{{100, 30}}}, 40, 10, 4).has_value());
}

TEST(Labels, TurnWithTheirArrow) {
  LabelPlacer placer{{0, 0}, {200, 200}};
  placer.avoid({100, 0}, {100, 60}, 5);
  const auto upright = placer.place({{{100, 100}, 90}, {{100, 100}, 0, 1}}, 100, 10);
  EXPECT_EQ(upright->angle, 0) << "turned by 90 degrees it would reach the line";
}

}  // namespace
}  // namespace hapax
