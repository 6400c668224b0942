// For the tests of this room: real threads at a real lock. Under ThreadSanitizer the plain counter
// is the sharper test: it must find every section ordered before the next by the lock's own
// atomics.
#pragma once

#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "base/ids.h"

namespace hapax::testing {

// What the lock protects, and what shows that it did.
class Treasure {
 public:
  // REQUIRES: the caller is inside.
  void touch(Turn turn) {
    // Relaxed, so that the detector itself orders nothing.
    if (inside_.fetch_add(1, std::memory_order_relaxed) != 0) overlaps_.fetch_add(1);
    ++touches_;
    if (turn <= last_turn_) ++stale_turns_;
    if (touches_ % 8 == 0) std::this_thread::yield();  // Lose the core inside, so that others meet.
    last_turn_ = turn;
    inside_.fetch_sub(1, std::memory_order_relaxed);
  }

  // After all threads are gone.
  void expect_sound(std::uint64_t touches) const {
    EXPECT_EQ(overlaps_.load(), 0u);
    EXPECT_EQ(touches_, touches);
    EXPECT_EQ(stale_turns_, 0u);
    EXPECT_EQ(number(last_turn_), touches);
  }

 private:
  std::atomic<std::uint32_t> inside_ = 0;
  std::atomic<std::uint32_t> overlaps_ = 0;
  std::uint64_t touches_ = 0;  // Plain on purpose.
  std::uint64_t stale_turns_ = 0;
  Turn last_turn_{};
};

// Each of `threads` enters `rounds` times through the seat that `sit(i)` gives it. Every third
// entry is made by try_lock().
template <class Sit>
void hammer(std::uint32_t threads, std::uint32_t rounds, const Sit& sit) {
  Treasure treasure;
  std::latch start{threads};  // Or the first would be done before the last is born.
  const auto work = [&](std::uint32_t i) {
    auto seat = sit(i);
    start.arrive_and_wait();
    for (std::uint32_t round = 0; round < rounds; ++round) {
      std::unique_lock guard{seat, std::defer_lock};
      if (round % 3 == 2) {
        while (!guard.try_lock()) std::this_thread::yield();
      } else {
        guard.lock();
      }
      treasure.touch(seat.turn());
    }
  };
  {
    std::vector<std::jthread> crowd;
    for (std::uint32_t i = 0; i < threads; ++i) crowd.emplace_back(work, i);
  }
  treasure.expect_sound(std::uint64_t{threads} * rounds);
}

}  // namespace hapax::testing
