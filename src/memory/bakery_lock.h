// Lamport, "A new solution of Dijkstra's concurrent programming problem", CACM 17(8), 1974.
// Take a ticket one above every ticket in sight, then wait until nobody holds a lower one; between
// equal tickets the lower number goes first.
//
// Needs shared memory in which a word is written by its owner only; the paper does not even need
// the reads to be atomic, but C++ does. N is fixed. Served in the order of tickets: who has its
// ticket before another starts to draw goes in first, so nobody starves. A process that dies with a
// ticket blocks all (the paper lets its words fall back to 0).
//
// Tickets grow as long as the bakery is never empty: 2^64 of them are some centuries of entries.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "memory/seat.h"

namespace hapax {

class BakeryLock {
 public:
  // REQUIRES: size > 0.
  explicit BakeryLock(std::uint32_t size);
  BakeryLock(const BakeryLock&) = delete;
  BakeryLock& operator=(const BakeryLock&) = delete;

  // REQUIRES: self is below the size, and its seat is free.
  LockSeat<BakeryLock> seat(NodeId self) { return {*this, self}; }

  // How many are inside or wait with a ticket. A glimpse: it may be out of date when you have it.
  std::uint32_t tickets_out() const;

 private:
  friend class LockSeat<BakeryLock>;

  // Written by their process only, read by all; a cache line each.
  struct alignas(64) Process {
    std::atomic<bool> choosing = false;     // In the doorway: about to write a ticket.
    std::atomic<std::uint64_t> number = 0;  // The ticket; 0 is none. Invariant: > 0 while inside.
  };

  void enter(std::uint32_t self);
  bool try_enter(std::uint32_t self);
  void leave(std::uint32_t self);
  std::uint64_t take_ticket(std::uint32_t self);
  bool is_choosing(std::uint32_t other) const;
  bool goes_first(std::uint32_t other, std::uint64_t ticket, std::uint32_t self) const;

  std::vector<Process> processes_;
  Seating seating_;
};

}  // namespace hapax
