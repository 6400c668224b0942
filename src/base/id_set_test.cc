#include "base/id_set.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <utility>
#include <vector>

namespace hapax {
namespace {

NodeSet set_of(std::initializer_list<std::uint32_t> ids) {
  NodeSet set;
  for (const std::uint32_t id : ids) set.insert(NodeId{id});
  return set;
}

std::vector<std::uint32_t> members(const NodeSet& set) {
  std::vector<std::uint32_t> ids;
  for (const NodeId id : set) ids.push_back(number(id));
  return ids;
}

// The same members, but in a block: it was large once.
NodeSet once_large(NodeSet set) {
  set.insert(NodeId{1000});
  set.erase(NodeId{1000});
  return set;
}

TEST(IdSet, IsOneWord) { EXPECT_EQ(sizeof(NodeSet), 8u); }

TEST(IdSet, MembersBelow63LiveInTheWordAndTheNextOneTakesABlock) {
  NodeSet set = set_of({0, 1, 62});
  EXPECT_EQ(set.heap_bytes(), 0u);
  EXPECT_EQ(members(set), (std::vector<std::uint32_t>{0, 1, 62}));
  EXPECT_TRUE(set.insert(NodeId{63}));
  EXPECT_GT(set.heap_bytes(), 0u);
  EXPECT_EQ(members(set), (std::vector<std::uint32_t>{0, 1, 62, 63}));
  EXPECT_TRUE(set.insert(NodeId{64}));
  EXPECT_EQ(members(set), (std::vector<std::uint32_t>{0, 1, 62, 63, 64}));
  EXPECT_EQ(set.size(), 5u);
}

TEST(IdSet, InsertAndEraseSayWhetherTheyChangedAnything) {
  for (const std::uint32_t id : {0u, 5u, 61u, 62u, 63u, 64u, 127u, 128u, 5000u}) {
    NodeSet set;
    EXPECT_FALSE(set.erase(NodeId{id})) << id;
    EXPECT_TRUE(set.insert(NodeId{id})) << id;
    EXPECT_FALSE(set.insert(NodeId{id})) << id;
    EXPECT_TRUE(set.contains(NodeId{id})) << id;
    EXPECT_FALSE(set.contains(NodeId{id + 1})) << id;
    EXPECT_EQ(members(set), std::vector{id});
    EXPECT_TRUE(set.erase(NodeId{id})) << id;
    EXPECT_FALSE(set.erase(NodeId{id})) << id;
    EXPECT_TRUE(set.empty()) << id;
    EXPECT_EQ(set.begin(), set.end()) << id;
  }
}

TEST(IdSet, WhatLiesFarBeyondIsNotContained) {
  for (const NodeSet& set : {set_of({1}), set_of({1, 100})}) {
    EXPECT_FALSE(set.contains(NodeId{~std::uint32_t{0}}));
    EXPECT_FALSE(NodeSet{set}.erase(NodeId{~std::uint32_t{0}}));
  }
}

TEST(IdSet, AllBelowHoldsJustThoseBelow) {
  for (const std::uint32_t size : {0u, 1u, 2u, 61u, 62u, 63u, 64u, 65u, 127u, 128u, 129u, 1000u}) {
    const NodeSet set = NodeSet::all_below(size);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t id = 0; id < size; ++id) expected.push_back(id);
    EXPECT_EQ(members(set), expected) << size;
    EXPECT_EQ(set.size(), size);
    EXPECT_EQ(set.empty(), size == 0);
    EXPECT_FALSE(set.contains(NodeId{size})) << size;
  }
}

TEST(IdSet, EqualMembersAreEqualInAWordAndInABlock) {
  for (const NodeSet& small : {NodeSet{}, set_of({0}), set_of({3, 62})}) {
    const NodeSet large = once_large(small);
    ASSERT_GT(large.heap_bytes(), 0u);
    EXPECT_TRUE(small == large);
    EXPECT_TRUE(large == small);
    EXPECT_EQ(members(small), members(large));
  }
  EXPECT_FALSE(set_of({1, 2}) == once_large(set_of({1, 3})));
  EXPECT_FALSE(set_of({1}) == once_large(set_of({1, 3})));
  EXPECT_TRUE(set_of({1, 64}) == set_of({64, 1}));
  EXPECT_FALSE(set_of({1, 64}) == set_of({1, 65}));
}

TEST(IdSet, ACopyIsAnotherSet) {
  for (const NodeSet& original : {set_of({1, 2}), set_of({1, 200})}) {
    NodeSet copy = original;
    EXPECT_TRUE(copy == original);
    copy.insert(NodeId{7});
    copy.erase(NodeId{1});
    EXPECT_FALSE(original.contains(NodeId{7}));
    EXPECT_TRUE(original.contains(NodeId{1}));
    copy = original;
    EXPECT_TRUE(copy == original);
  }
}

TEST(IdSet, AMoveLeavesAnEmptySetThatCanBeUsed) {
  for (const NodeSet& original : {set_of({1, 2}), set_of({1, 200})}) {
    NodeSet from = original;
    NodeSet to = std::move(from);
    EXPECT_TRUE(to == original);
    EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): what it promises
    from.insert(NodeId{300});
    EXPECT_EQ(members(from), std::vector{300u});
    to = std::move(from);
    EXPECT_EQ(members(to), std::vector{300u});
  }
}

TEST(IdSet, AssignsToItself) {
  NodeSet set = set_of({1, 200});
  const NodeSet& same = set;
  set = same;
  EXPECT_EQ(members(set), (std::vector<std::uint32_t>{1, 200}));
}

TEST(IdSet, ClearKeepsAModestBlockAndGivesALargeOneBack) {
  NodeSet modest = set_of({1, 1000});
  const std::size_t bytes = modest.heap_bytes();
  modest.clear();
  EXPECT_TRUE(modest.empty());
  EXPECT_EQ(modest.heap_bytes(), bytes);
  EXPECT_EQ(members(modest), std::vector<std::uint32_t>{});
  NodeSet large = NodeSet::all_below(1'000'000);
  large.clear();
  EXPECT_TRUE(large.empty());
  EXPECT_EQ(large.heap_bytes(), 0u);
  EXPECT_TRUE(modest == large);
}

// Any series of insertions and erasures, against the standard set. Ids crowd around the edges.
RC_GTEST_PROP(IdSet, DoesWhatAStandardSetDoes, ()) {
  const auto id = rc::gen::oneOf(rc::gen::inRange(0u, 8u), rc::gen::inRange(58u, 70u),
                                 rc::gen::inRange(120u, 135u), rc::gen::inRange(0u, 3000u));
  const auto steps = *rc::gen::container<std::vector<std::pair<bool, std::uint32_t>>>(
      rc::gen::pair(rc::gen::weightedElement<bool>({{2, true}, {1, false}}), id));
  NodeSet ours;
  std::set<std::uint32_t> standard;
  for (const auto& [inserts, number] : steps) {
    if (inserts) {
      RC_ASSERT(ours.insert(NodeId{number}) == standard.insert(number).second);
    } else {
      RC_ASSERT(ours.erase(NodeId{number}) == (standard.erase(number) == 1));
    }
    RC_ASSERT(ours.contains(NodeId{number}) == inserts);
    RC_ASSERT(ours.size() == standard.size());
    RC_ASSERT(ours.empty() == standard.empty());
  }
  RC_ASSERT(members(ours) == std::vector<std::uint32_t>(standard.begin(), standard.end()));
}

RC_GTEST_PROP(IdSet, EqualityIsEqualityOfMembers,
              (std::set<std::uint8_t> a, std::set<std::uint8_t> b)) {
  NodeSet x, y;
  for (const std::uint32_t id : a) x.insert(NodeId{id});
  for (const std::uint32_t id : b) y.insert(NodeId{id});
  RC_ASSERT((x == y) == (a == b));
  for (const std::uint32_t id : a) y.insert(NodeId{id});
  for (const std::uint32_t id : b) {
    if (!a.contains(static_cast<std::uint8_t>(id))) y.erase(NodeId{id});
  }
  RC_ASSERT(x == y);
}

}  // namespace
}  // namespace hapax
