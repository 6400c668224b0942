#include "memory/semaphore_lock.h"

#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

#include "memory/stress_testing.h"

namespace hapax::testing {
namespace {

TEST(SemaphoreLock, OneInsideAtATime) {
  for (const std::uint32_t threads : {2u, 4u, 8u}) {
    SemaphoreLock lock;
    hammer(threads, 48'000 / threads, [&](std::uint32_t) { return lock.seat(); });
  }
}

TEST(SemaphoreLock, AsManyInsideAsItCounts) {
  constexpr std::uint32_t kCount = 3;
  SemaphoreLock semaphore{kCount};
  std::atomic<std::uint32_t> inside = 0;
  std::atomic<std::uint32_t> too_many = 0;
  std::atomic<std::uint32_t> most = 0;
  const auto work = [&] {
    for (int round = 0; round < 2'000; ++round) {
      semaphore.down();
      const std::uint32_t now = inside.fetch_add(1) + 1;
      if (now > kCount) ++too_many;
      for (std::uint32_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::yield();
      inside.fetch_sub(1);
      semaphore.up();
    }
  };
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i < 8; ++i) crowd.emplace_back(work);
  }
  EXPECT_EQ(too_many, 0u);
  EXPECT_EQ(most, kCount);
}

TEST(SemaphoreLock, TryDownFailsOnlyAtZero) {
  SemaphoreLock semaphore{2};
  EXPECT_TRUE(semaphore.try_down());
  EXPECT_TRUE(semaphore.try_down());
  EXPECT_FALSE(semaphore.try_down());
  semaphore.up();
  EXPECT_TRUE(semaphore.try_down());
}

// The lecture's use of a semaphore that is no lock: one thread waits for what another does.
TEST(SemaphoreLock, UpInOneThreadLetsAnotherGoOn) {
  SemaphoreLock done{0};
  int result = 0;
  std::jthread worker{[&] {
    result = 42;
    done.up();
  }};
  done.down();
  EXPECT_EQ(result, 42);
}

// Two ATMs, $1,000 and two deposits of $10,000.
TEST(SemaphoreLock, TheBankLosesNoDeposit) {
  SemaphoreLock semaphore;
  std::uint64_t balance = 1'000;
  const auto deposit = [&] {
    auto atm = semaphore.seat();
    std::scoped_lock guard{atm};
    const std::uint64_t read = balance;
    std::this_thread::yield();
    balance = read + 10'000;
  };
  {
    std::jthread first{deposit};
    std::jthread second{deposit};
  }
  EXPECT_EQ(balance, 21'000u);
}

TEST(SemaphoreLockDeathTest, MisuseIsCaught) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  SemaphoreLock semaphore;
  auto seat = semaphore.seat();
  EXPECT_DEATH(seat.unlock(), "held_");
  EXPECT_DEATH(seat.turn(), "held_");
}

}  // namespace
}  // namespace hapax::testing
