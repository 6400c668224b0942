// A place at a lock that knows its N processes by number. The lock is shared; a seat belongs to one
// thread at a time, and it is the seat that is Lockable:
//
//   DijkstraLock lock{4};
//   auto seat = lock.seat(NodeId{2});  // In the thread that is process 2.
//   std::scoped_lock guard{seat};
//
// Two threads under one number would break exclusion, so a number that is taken is not given out
// again until its seat is gone. The lock must outlive its seats.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/ids.h"

namespace hapax {

// What a lock knows of its seats.
class Seating {
 public:
  explicit Seating(std::uint32_t size) : taken_(size) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(taken_.size()); }

  // REQUIRES: nobody has this seat. Acquire, against the release below: a thread that takes over a
  // number sees what its last owner wrote under it. (Exchange, so that of two threads that try, one
  // is caught.)
  void take(NodeId self) {
    HAPAX_CHECK(number(self) < size());
    HAPAX_CHECK(!taken_[number(self)].exchange(true, std::memory_order_acquire));
  }
  void give_back(NodeId self) { taken_[number(self)].store(false, std::memory_order_release); }

  // REQUIRES: the caller is inside. That makes a plain counter enough: the lock itself orders the
  // calls.
  Turn draw() { return last_turn_ = next(last_turn_); }

 private:
  std::vector<std::atomic<bool>> taken_;
  Turn last_turn_{};  // The turn of the last entry; touched only inside.
};

// `Lock` lets LockSeat<Lock> at its enter(), try_enter(), leave() and seating_.
template <class Lock>
class LockSeat {
 public:
  LockSeat(Lock& lock, NodeId self) : lock_(lock), self_(self) { lock_.seating_.take(self_); }
  ~LockSeat() {
    HAPAX_CHECK(!held_);
    lock_.seating_.give_back(self_);
  }
  LockSeat(const LockSeat&) = delete;
  LockSeat& operator=(const LockSeat&) = delete;

  // REQUIRES: this seat does not hold the lock.
  void lock() {
    HAPAX_CHECK(!held_);
    lock_.enter(number(self_));
    hold();
  }

  // Never waits. May fail although the lock is free, when somebody else is trying at the same time.
  // REQUIRES: this seat does not hold the lock.
  [[nodiscard]] bool try_lock() {
    HAPAX_CHECK(!held_);
    if (!lock_.try_enter(number(self_))) return false;
    hold();
    return true;
  }

  // REQUIRES: this seat holds the lock.
  void unlock() {
    HAPAX_CHECK(held_);
    held_ = false;
    lock_.leave(number(self_));
  }

  // The place of this critical section among all of this lock; strictly grows from one to the next.
  // REQUIRES: this seat holds the lock.
  Turn turn() const {
    HAPAX_CHECK(held_);
    return turn_;
  }

 private:
  void hold() {
    held_ = true;
    turn_ = lock_.seating_.draw();
  }

  Lock& lock_;
  const NodeId self_;
  bool held_ = false;
  Turn turn_{};  // Of the current critical section, while held_.
};

}  // namespace hapax
