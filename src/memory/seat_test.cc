// What the locks with numbered seats have in common.
#include "memory/seat.h"

#include <gtest/gtest.h>
#include <mutex>
#include <thread>

#include "memory/bakery_lock.h"
#include "memory/dijkstra.h"
#include "memory/stress_testing.h"

namespace hapax::testing {
namespace {

template <class Lock>
class SeatedLock : public ::testing::Test {};
template <class Lock>
class SeatedLockDeathTest : public ::testing::Test {};
using SeatedLocks = ::testing::Types<DijkstraLock, BakeryLock>;
TYPED_TEST_SUITE(SeatedLock, SeatedLocks);
TYPED_TEST_SUITE(SeatedLockDeathTest, SeatedLocks);

TYPED_TEST(SeatedLock, OneInsideAtATime) {
  for (const std::uint32_t threads : {2u, 4u, 8u}) {
    TypeParam lock{threads};
    hammer(threads, 24'000 / threads, [&](std::uint32_t i) { return lock.seat(NodeId{i}); });
  }
}

TYPED_TEST(SeatedLock, AloneAtTheLock) {
  TypeParam lock{1};
  auto seat = lock.seat(NodeId{0});
  seat.lock();
  EXPECT_EQ(seat.turn(), Turn{1});
  seat.unlock();
  EXPECT_TRUE(seat.try_lock());
  EXPECT_EQ(seat.turn(), Turn{2});
  seat.unlock();
}

TYPED_TEST(SeatedLock, ASeatNobodyUsesHoldsNobodyUp) {
  TypeParam lock{8};
  auto seat = lock.seat(NodeId{5});
  std::scoped_lock guard{seat};
  EXPECT_EQ(seat.turn(), Turn{1});
}

TYPED_TEST(SeatedLock, TryLockSaysNoWhileAnotherIsInsideAndLeavesNoTrace) {
  TypeParam lock{2};
  auto first = lock.seat(NodeId{0});
  auto second = lock.seat(NodeId{1});
  first.lock();
  EXPECT_FALSE(second.try_lock());
  first.unlock();
  first.lock();  // Would wait for ever if the failed try had left its mark.
  first.unlock();
  EXPECT_TRUE(second.try_lock());
  second.unlock();
}

TYPED_TEST(SeatedLock, ScopedLockTakesTwoLocksInAnyOrder) {
  TypeParam left{2};
  TypeParam right{2};
  std::uint64_t entries = 0;
  const auto work = [&](std::uint32_t i) {
    auto at_left = left.seat(NodeId{i});
    auto at_right = right.seat(NodeId{i});
    for (int round = 0; round < 2'000; ++round) {
      if (i == 0) {
        std::scoped_lock guard{at_left, at_right};
        ++entries;
      } else {
        std::scoped_lock guard{at_right, at_left};
        ++entries;
      }
    }
  };
  {
    std::jthread zero{work, 0};
    std::jthread one{work, 1};
  }
  EXPECT_EQ(entries, 4'000u);
}

TYPED_TEST(SeatedLock, ASeatGoesFromThreadToThread) {
  TypeParam lock{2};
  std::uint64_t entries = 0;
  for (int i = 0; i < 50; ++i) {
    std::jthread{[&] {
      auto seat = lock.seat(NodeId{1});
      std::scoped_lock guard{seat};
      ++entries;
    }}.join();
  }
  EXPECT_EQ(entries, 50u);
}

TYPED_TEST(SeatedLockDeathTest, MisuseIsCaught) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TypeParam lock{2};
  auto seat = lock.seat(NodeId{0});
  EXPECT_DEATH(lock.seat(NodeId{0}), "exchange");  // One number, two threads.
  EXPECT_DEATH(lock.seat(NodeId{2}), "size");
  EXPECT_DEATH(seat.unlock(), "held_");
  EXPECT_DEATH(seat.turn(), "held_");
  EXPECT_DEATH(TypeParam{0}, "size");
}

}  // namespace
}  // namespace hapax::testing
