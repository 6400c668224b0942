// Memory orders. Everything happens on one word, and a read-modify-write always reads the last
// value in that word's order: no store-load order between two words is needed, unlike in Dijkstra's
// lock and the bakery, and so no seq_cst.
//
// up() is a release and a successful try_down() an acquire. The down of another thread in between
// is itself a read-modify-write, so it continues the release sequence: a thread that takes the
// count comes after every up() before it, whichever it reads from.
#include "memory/semaphore_lock.h"

#include <limits>

namespace hapax {

bool SemaphoreLock::try_down() {
  // Relaxed: a guess, which the exchange confirms or corrects.
  std::uint32_t seen = count_.load(std::memory_order_relaxed);
  while (seen > 0) {
    // Acquire on success: after the up() that let us in. Relaxed on failure: only a better guess.
    // It fails for ever only if others succeed for ever; this is the loop that may starve.
    if (count_.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void SemaphoreLock::down() {
  // wait() looks a few times in place before it sleeps, and returns once the count is not 0.
  // Relaxed: the acquire is in try_down().
  while (!try_down()) count_.wait(0, std::memory_order_relaxed);
}

void SemaphoreLock::up() {
  // Release: what was done inside happens before the down() that takes this count.
  const std::uint32_t before = count_.fetch_add(1, std::memory_order_release);
  HAPAX_CHECK(before != std::numeric_limits<std::uint32_t>::max());
  // One count, one waiter. It is raised first, so a thread about to sleep on 0 sees it.
  count_.notify_one();
}

void SemaphoreLock::Seat::lock() {
  HAPAX_CHECK(!held_);
  semaphore_.down();
  hold();
}

bool SemaphoreLock::Seat::try_lock() {
  HAPAX_CHECK(!held_);
  if (!semaphore_.try_down()) return false;
  hold();
  return true;
}

void SemaphoreLock::Seat::unlock() {
  HAPAX_CHECK(held_);
  held_ = false;
  semaphore_.up();
}

Turn SemaphoreLock::Seat::turn() const {
  HAPAX_CHECK(held_);
  return turn_;
}

// Relaxed in draw(): with count 1 the semaphore orders the draws, with more only their being
// different matters.
void SemaphoreLock::Seat::hold() {
  held_ = true;
  turn_ = semaphore_.draw();
}

}  // namespace hapax
