#include "base/release.h"

#include <gtest/gtest.h>

namespace hapax {
namespace {

TEST(Release, HasAVersion) { EXPECT_TRUE(release().starts_with(HAPAX_VERSION)) << release(); }

TEST(Release, NeighboursHaveNoMinorVersionBetweenThem) {
  EXPECT_TRUE(are_neighbours("0.1.0", "0.1.7+g0220214"));
  EXPECT_TRUE(are_neighbours("0.1.0", "0.2.0"));
  EXPECT_TRUE(are_neighbours("0.10.3", "0.9"));
  EXPECT_FALSE(are_neighbours("0.1.0", "0.3.0"));
  EXPECT_FALSE(are_neighbours("0.3.0", "0.1.0"));
  EXPECT_FALSE(are_neighbours("1.2.0", "0.2.0"));
}

TEST(Release, WhatCannotBeReadIsNotComplainedAbout) {
  for (const char* text : {"", "older", "1", "1.", ".1", "1.x", "99999999999.0"}) {
    EXPECT_TRUE(are_neighbours(text, "0.1.0")) << text;
    EXPECT_TRUE(are_neighbours("0.1.0", text)) << text;
  }
}

}  // namespace
}  // namespace hapax
