#include "voting/tree.h"

#include <gtest/gtest.h>

namespace hapax {
namespace {

// Hops by climbing, the larger id first: in a heap it is never above the smaller one.
std::uint32_t climb(std::uint32_t a, std::uint32_t b) {
  std::uint32_t hops = 0;
  for (; a != b; ++hops) (a > b ? a : b) = ((a > b ? a : b) - 1) / 2;
  return hops;
}

TEST(HeapTree, ParentsAreThoseOfABinaryHeap) {
  EXPECT_EQ(HeapTree::parent(NodeId{1}), NodeId{0});
  EXPECT_EQ(HeapTree::parent(NodeId{2}), NodeId{0});
  EXPECT_EQ(HeapTree::parent(NodeId{5}), NodeId{2});
  EXPECT_EQ(HeapTree::parent(NodeId{6}), NodeId{2});
}

TEST(HeapTree, DistanceCountsTheHops) {
  for (std::uint32_t a = 0; a < 70; ++a) {
    for (std::uint32_t b = 0; b < 70; ++b) {
      EXPECT_EQ(HeapTree::distance(NodeId{a}, NodeId{b}), climb(a, b)) << a << " " << b;
      EXPECT_EQ(HeapTree::are_neighbours(NodeId{a}, NodeId{b}), climb(a, b) == 1) << a << " " << b;
    }
  }
}

TEST(HeapTree, EachStepTowardsIsOneHopLess) {
  for (std::uint32_t a = 0; a < 70; ++a) {
    for (std::uint32_t b = 0; b < 70; ++b) {
      if (a == b) continue;
      const NodeId step = HeapTree::neighbour_towards(NodeId{a}, NodeId{b});
      EXPECT_TRUE(HeapTree::are_neighbours(NodeId{a}, step)) << a << " " << b;
      EXPECT_EQ(HeapTree::distance(step, NodeId{b}) + 1, climb(a, b)) << a << " " << b;
    }
  }
}

TEST(HeapTree, AMillionMembersAreAtMost38HopsApart) {
  EXPECT_EQ(HeapTree::distance(NodeId{999'999}, NodeId{262'143}), 37u);
  EXPECT_EQ(HeapTree::distance(NodeId{999'999}, NodeId{524'287}), 38u);
}

TEST(HeapTree, TheLargestIdIsNoException) {
  const NodeId last{0xffff'ffff};
  EXPECT_EQ(HeapTree::distance(last, NodeId{0}), 32u);
  EXPECT_EQ(HeapTree::neighbour_towards(last, NodeId{0}), HeapTree::parent(last));
  EXPECT_EQ(HeapTree::neighbour_towards(HeapTree::parent(last), last), last);
}

}  // namespace
}  // namespace hapax
