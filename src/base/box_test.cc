#include "base/box.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace hapax {
namespace {

using Items = std::vector<int>;

TEST(Box, IsOneWordAndEmptyAtFirst) {
  EXPECT_EQ(sizeof(Box<Items>), sizeof(void*));
  EXPECT_FALSE(static_cast<bool>(Box<Items>{}));
}

TEST(Box, FillAndReset) {
  Box<Items> box;
  box.fill({1, 2});
  ASSERT_TRUE(static_cast<bool>(box));
  EXPECT_EQ(*box, (Items{1, 2}));
  box->push_back(3);
  EXPECT_EQ(box->size(), 3u);
  box.fill({9});
  EXPECT_EQ(*box, Items{9});
  box.reset();
  EXPECT_FALSE(static_cast<bool>(box));
}

TEST(Box, CopiesDeep) {
  const Box<Items> original{Items{1, 2}};
  Box<Items> copy = original;
  copy->push_back(3);
  EXPECT_EQ(*original, (Items{1, 2}));
  copy = original;
  EXPECT_EQ(*copy, (Items{1, 2}));
  copy = Box<Items>{};
  EXPECT_FALSE(static_cast<bool>(copy));
  EXPECT_TRUE(static_cast<bool>(original));
}

TEST(Box, MovesWithoutACopy) {
  Box<Items> from{Items{1, 2}};
  const Items* there = &*from;
  const Box<Items> to = std::move(from);
  EXPECT_EQ(&*to, there);
  EXPECT_FALSE(static_cast<bool>(from));  // NOLINT(bugprone-use-after-move): what it promises
}

TEST(Box, ComparesByContentAndEmptyEqualsOnlyEmpty) {
  EXPECT_TRUE(Box{1} == Box{1});
  EXPECT_FALSE(Box{1} == Box{2});
  EXPECT_FALSE(Box{0} == Box<int>{});
  EXPECT_FALSE(Box<int>{} == Box{0});
  EXPECT_TRUE(Box<int>{} == Box<int>{});
}

}  // namespace
}  // namespace hapax
