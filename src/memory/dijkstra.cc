// Memory orders. Exclusion rests on claims alone: inside means "I wrote my claim, and then saw
// nobody else's". For two processes i and j that is
//
//   i: claims[i] = true; read claims[j]        j: claims[j] = true; read claims[i]
//
// and at least one must see the other. Acquire and release cannot promise that: they order a store
// after what stands before it and a load before what follows it, but let a load overtake an earlier
// store to another word (the store waits in the core's buffer), and then both read false. Hence
// seq_cst for that store and that load: all such operations have one order S, in which one of the
// two stores comes first and the other's process reads after it.
//
// Every store of false to a claim is a release, and the load above is also an acquire. So for a
// process that reads false where an earlier critical section wrote it, that section happens before
// its own. (Each such store, not only the one in leave(): since C++20 a later plain store by the
// same thread does not continue a release sequence.)
//
// turn_ and wants only decide who steps back. Whatever values they are read with, exclusion holds
// (the test dijkstra_model_test lets an adversary rewrite them at any moment). Relaxed is enough
// for the absence of deadlock: coherence gives each word one order of values, and the last becomes
// visible.
#include "memory/dijkstra.h"

#include "base/check.h"
#include "memory/backoff.h"

namespace hapax {

DijkstraLock::DijkstraLock(std::uint32_t size) : processes_(size), seating_(size) {
  HAPAX_CHECK(size > 0u);
}

void DijkstraLock::enter(std::uint32_t self) {
  processes_[self].wants.store(true, std::memory_order_relaxed);  // Li0
  Backoff backoff;
  await_turn(self);
  while (!claim(self)) {
    backoff.pause();
    await_turn(self);
  }
}

// Li1 to Li3. Returns at once, the claim still standing, if the turn is ours.
void DijkstraLock::await_turn(std::uint32_t self) {
  Backoff backoff;
  while (turn_.load(std::memory_order_relaxed) != self) {
    // Release: the last section of ours ended before this store too, and it may be this one that is
    // read.
    processes_[self].claims.store(false, std::memory_order_release);
    const std::uint32_t favoured = turn_.load(std::memory_order_relaxed);
    if (!processes_[favoured].wants.load(std::memory_order_relaxed)) {
      turn_.store(self, std::memory_order_relaxed);
    } else {
      backoff.pause();
    }
  }
}

// Li4. True: we are inside. False: the claim stands all the same, as in the paper.
bool DijkstraLock::claim(std::uint32_t self) {
  processes_[self].claims.store(true, std::memory_order_seq_cst);  // Before the loads, in S.
  return !anybody_else_claims(self);
}

bool DijkstraLock::anybody_else_claims(std::uint32_t self) const {
  for (std::uint32_t other = 0; other < processes_.size(); ++other) {
    // seq_cst: after our claim, in S; and an acquire of what the other did while inside.
    if (other != self && processes_[other].claims.load(std::memory_order_seq_cst)) return true;
  }
  return false;
}

// Not in the paper. Exclusion: the same claim, followed by the same look, as in enter(); a claim
// that is taken back was never inside. No wait: two passes over the others, no loop.
//
// The first pass is for the others' sake. Who has the turn in enter() lets its claim stand, so a
// try_lock() in a loop sees it and claims nothing more; without that pass it could make the other
// look at a claim every time, for ever.
bool DijkstraLock::try_enter(std::uint32_t self) {
  if (anybody_else_claims(self)) return false;
  if (claim(self)) return true;
  leave(self);
  return false;
}

void DijkstraLock::leave(std::uint32_t self) {
  // Release: what was done inside happens before whatever a process does that reads this false. No
  // store-load order needed: it does not matter how late the others learn that we left.
  processes_[self].claims.store(false, std::memory_order_release);
  processes_[self].wants.store(false, std::memory_order_relaxed);
}

}  // namespace hapax
