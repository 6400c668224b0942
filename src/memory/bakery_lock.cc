// Memory orders. Take two critical sections, i's with the lower ticket: one must happen before the
// other. j, with its own ticket written, read choosing[i] == false and after that a number[i] that
// let it pass.
//
//  1. That number was what leave() wrote, or something later of i. Store release, load acquire: i's
//     section happens before j's.
//  2. Otherwise it was older than i's ticket. Had j read choosing[i] after i's doorway, it would
//     have seen the ticket, which was written before: that store of choosing is a release, the load
//     an acquire. So it had not:
//  3. j read choosing[i] before i's doorway. Then i in its doorway must read j's ticket, and draw a
//     higher one against what we supposed; or it read what j wrote later, in leave(): release and
//     acquire again, and j's section happens before i's. It is the "must" that acquire and release
//     cannot carry, for it says
//
//       i: choosing[i] = true; read number[j]      j: number[j] = ticket; read choosing[i]
//
//     and one sees the other. A load may overtake an earlier store to another word unless both are
//     seq_cst; then both would read the old value, and i draw a ticket as low as j's. So these
//     four, and only these, are seq_cst.
//
// The tests show cases 2 and 3 on the model: a bakery without choosing, and one whose store of
// choosing or of the ticket is held back in a buffer, let two inside.
#include "memory/bakery_lock.h"

#include <algorithm>

#include "base/check.h"
#include "memory/backoff.h"

namespace hapax {

BakeryLock::BakeryLock(std::uint32_t size) : processes_(size), seating_(size) {
  HAPAX_CHECK(size > 0u);
}

// The doorway: a bounded number of steps, so nobody waits for it long.
std::uint64_t BakeryLock::take_ticket(std::uint32_t self) {
  Process& own = processes_[self];
  own.choosing.store(true, std::memory_order_seq_cst);  // Case 3: before the loads of the tickets.
  std::uint64_t highest = 0;
  for (std::uint32_t other = 0; other < processes_.size(); ++other) {
    if (other == self) continue;
    // seq_cst for case 3. As an acquire it serves the end of case 3: a 0 read here may be a
    // leave().
    highest = std::max(highest, processes_[other].number.load(std::memory_order_seq_cst));
  }
  own.number.store(highest + 1,
                   std::memory_order_seq_cst);           // Case 3: before the loads of choosing.
  own.choosing.store(false, std::memory_order_release);  // Case 2: after the ticket.
  return highest + 1;
}

bool BakeryLock::is_choosing(std::uint32_t other) const {
  return processes_[other].choosing.load(std::memory_order_seq_cst);  // Case 3; acquire for case 2.
}

bool BakeryLock::goes_first(std::uint32_t other, std::uint64_t ticket, std::uint32_t self) const {
  // Acquire for case 1. It needs no place in S: case 2 has it ordered by the load of choosing.
  const std::uint64_t theirs = processes_[other].number.load(std::memory_order_acquire);
  // Equal tickets: the lower number wins, so both sides agree.
  return theirs != 0 && (theirs < ticket || (theirs == ticket && other < self));
}

void BakeryLock::enter(std::uint32_t self) {
  const std::uint64_t ticket = take_ticket(self);
  for (std::uint32_t other = 0; other < processes_.size(); ++other) {
    if (other == self) continue;
    Backoff backoff;
    while (is_choosing(other)) backoff.pause();
    while (goes_first(other, ticket, self)) backoff.pause();
  }
}

// Not in the paper, though nearly: there a process may fail with a ticket in hand, and its number
// falls back to 0. Exclusion: who gets in has drawn a ticket and passed every other, as in enter();
// a ticket thrown away was never inside. No wait: where enter() would, this gives up.
//
// The first look is for the others' sake. A try_lock() in a loop that drew a ticket each time could
// be found choosing every time another looks, for ever; so it draws none while anybody has one.
// Relaxed: it decides nothing about exclusion.
bool BakeryLock::try_enter(std::uint32_t self) {
  for (std::uint32_t other = 0; other < processes_.size(); ++other) {
    if (processes_[other].number.load(std::memory_order_relaxed) != 0) return false;
  }
  const std::uint64_t ticket = take_ticket(self);
  for (std::uint32_t other = 0; other < processes_.size(); ++other) {
    if (other != self && (is_choosing(other) || goes_first(other, ticket, self))) {
      leave(self);
      return false;
    }
  }
  return true;
}

// Release, for case 1. No store-load order: it does not matter how late the others learn that we
// left.
void BakeryLock::leave(std::uint32_t self) {
  processes_[self].number.store(0, std::memory_order_release);
}

std::uint32_t BakeryLock::tickets_out() const {
  std::uint32_t count = 0;
  for (const Process& process : processes_) {
    // Acquire: one that asks after having seen a ticket draws a higher one.
    if (process.number.load(std::memory_order_acquire) != 0) ++count;
  }
  return count;
}

}  // namespace hapax
