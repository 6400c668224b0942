// Dijkstra, "Solution of a problem in concurrent programming control", CACM 8(9), 1965. Claim the
// lock, then look whether anybody else claims it. A process that finds company steps back, unless
// it has the turn; the turn is taken over only from a process that does not want to enter.
//
// Needs shared memory in which every read and write is atomic and all agree on one order of them:
// on a real machine, seq_cst where it says so in the .cc. N is fixed. Deadlock-free, but a process
// may starve. A process that dies while it wants to enter blocks all.
//
// The paper's b[i] and c[i] are wants and claims here, negated; its k is turn_.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "memory/seat.h"

namespace hapax {

class DijkstraLock {
 public:
  // REQUIRES: size > 0.
  explicit DijkstraLock(std::uint32_t size);
  DijkstraLock(const DijkstraLock&) = delete;
  DijkstraLock& operator=(const DijkstraLock&) = delete;

  // REQUIRES: self is below the size, and its seat is free.
  LockSeat<DijkstraLock> seat(NodeId self) { return {*this, self}; }

 private:
  friend class LockSeat<DijkstraLock>;

  // Written by their process only, read by all; a cache line each, so that a process that spins on
  // its own flags does not take the line from under another.
  struct alignas(64) Process {
    std::atomic<bool> wants = false;   // From the start of lock() until unlock().
    std::atomic<bool> claims = false;  // Invariant: true while inside.
  };

  void enter(std::uint32_t self);
  bool try_enter(std::uint32_t self);
  void leave(std::uint32_t self);
  void await_turn(std::uint32_t self);
  bool anybody_else_claims(std::uint32_t self) const;
  bool claim(std::uint32_t self);

  std::vector<Process> processes_;
  std::atomic<std::uint32_t> turn_ = 0;  // Who need not step back. Invariant: below the size.
  Seating seating_;
};

}  // namespace hapax
