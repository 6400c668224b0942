// Dijkstra's semaphore ("Cooperating sequential processes", 1965), as the lecture has it: a counter
// that P (wait, down) lowers when it is above 0, and V (signal, up) raises, each in one atomic
// step.
//
// Needs an atomic read-modify-write: compare-and-swap. Any number of threads, unknown to the
// semaphore; up to `count` inside at once, so a mutex for count 1. Deadlock-free; a waiter may
// starve, since a thread that comes along can take the count before the one that was woken.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/check.h"
#include "base/ids.h"

namespace hapax {

class SemaphoreLock {
 public:
  class Seat;

  explicit SemaphoreLock(std::uint32_t count = 1) : count_(count) {}
  SemaphoreLock(const SemaphoreLock&) = delete;
  SemaphoreLock& operator=(const SemaphoreLock&) = delete;

  void down();
  [[nodiscard]] bool try_down();  // Never waits; false only if the count was 0 when it looked.
  void up();                      // Any thread may call it, not only one that called down().

  // The Lockable face, one for each thread that enters.
  Seat seat();

 private:
  Turn draw() { return Turn{entries_.fetch_add(1, std::memory_order_relaxed) + 1}; }

  std::atomic<std::uint32_t> count_;  // How many more may go in.
  std::atomic<std::uint64_t> entries_ = 0;
};

class SemaphoreLock::Seat {
 public:
  explicit Seat(SemaphoreLock& semaphore) : semaphore_(semaphore) {}
  ~Seat() { HAPAX_CHECK(!held_); }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  // REQUIRES: this seat is not inside.
  void lock();
  [[nodiscard]] bool try_lock();

  // REQUIRES: this seat is inside.
  void unlock();

  // With count 1, strictly grows from one critical section to the next. With more, no two are
  // equal, but between those inside at the same time the order means nothing. REQUIRES: this seat
  // is inside.
  Turn turn() const;

 private:
  void hold();

  SemaphoreLock& semaphore_;
  bool held_ = false;
  Turn turn_{};  // Of the current critical section, while held_.
};

inline SemaphoreLock::Seat SemaphoreLock::seat() { return Seat{*this}; }

}  // namespace hapax
