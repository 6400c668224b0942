// The word of a lock that stays where it was used last. After an unlock, while nobody else wants
// the lock, it is kept: whoever drives its member goes on believing that it is held, and the next
// entry is a compare-and-swap on the word, with the next turn. The driver takes the word back when
// it has to, and asks nobody. Both may be in one process, or in two that share the memory.
#pragma once

#include <atomic>
#include <cstdint>

namespace hapax::kept {

using Word = std::atomic<std::uint64_t>;
static_assert(Word::is_always_lock_free);

enum class State : std::uint64_t {
  away = 0,    // Not to be entered without asking.
  kept = 1,    // Nobody is inside, and the driver believes that somebody is.
  used = 2,    // Somebody is inside.
  wanted = 3,  // Somebody is inside, and the unlock gives back.
};

// Two bits of state, and above them the number of the last entry. No two entries have the same
// number, so that what was lost cannot be taken for what is held now.
constexpr std::uint64_t word_of(State state, std::uint64_t number) {
  return number << 2 | static_cast<std::uint64_t>(state);
}
constexpr State state_of(std::uint64_t word) { return static_cast<State>(word & 3); }
constexpr std::uint64_t number_of(std::uint64_t word) { return word >> 2; }

// --- whoever enters, any thread ---

// The entry after `seen`, which the word was: false if it is something else by now, see `seen`.
inline bool enter(Word& word, std::uint64_t& seen) noexcept {
  return word.compare_exchange_weak(seen, word_of(State::used, number_of(seen) + 1),
                                    std::memory_order_acq_rel, std::memory_order_acquire);
}

enum class Left {
  kept,  // For the next one.
  back,  // The driver has to be told that it is given back.
  lost,  // The entry was lost, and somebody else may be inside by now.
};
// `may_keep`: if not, it is given back whoever wants it.
inline Left leave(Word& word, std::uint64_t number, bool may_keep = true) noexcept {
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  for (;;) {
    const State state = state_of(seen);
    if (number_of(seen) != number) return Left::lost;
    if (state != State::used && state != State::wanted) return Left::lost;
    const bool keep = may_keep && state == State::used;
    const std::uint64_t next = word_of(keep ? State::kept : State::away, number);
    if (word.compare_exchange_weak(seen, next, std::memory_order_release,
                                   std::memory_order_relaxed)) {
      return keep ? Left::kept : Left::back;
    }
  }
}

// Nobody enters by it any more, if it is kept; true if it was, and the driver has to be told.
inline bool give_up(Word& word) noexcept {
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  while (state_of(seen) == State::kept) {
    if (word.compare_exchange_weak(seen, word_of(State::away, number_of(seen)),
                                   std::memory_order_acq_rel, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

// --- the driver ---

// What is kept is away from here on, and what is used will be given back. What it was before.
inline std::uint64_t stop_entering(Word& word) noexcept {
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  for (;;) {
    const State state = state_of(seen);
    if (state != State::kept && state != State::used) return seen;
    const State next = state == State::kept ? State::away : State::wanted;
    if (word.compare_exchange_weak(seen, word_of(next, number_of(seen)), std::memory_order_acq_rel,
                                   std::memory_order_relaxed)) {
      return seen;
    }
  }
}
// It is away, whatever it was. What it was before.
inline std::uint64_t take_away(Word& word) noexcept {
  return word.fetch_and(~word_of(State::wanted, 0), std::memory_order_acq_rel);
}

}  // namespace hapax::kept
