// A lock of a program that is a member itself. After an unlock, while nobody else wants the lock,
// it is kept: the table goes on believing that it is held, and the next entry is a compare-and-swap
// on its word, with the next turn. Whoever drives the member takes the word back when it has to.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/fence.h"
#include "locks/outbox.h"
#include "service/lease_term.h"

namespace hapax {

class KeptWord {
 public:
  // No two entries have the same number, so that what was lost cannot be taken for what is held
  // now.
  struct Entry {
    std::uint64_t number = 0;
    Fence fence;
    LeaseTerm::Number term = 0;
  };
  // What the table has to be told: whom it believes to be inside, and the turn of the last entry.
  struct GivenBack {
    WaiterId holder{};
    Turn last{};
  };

  // --- any thread ---

  // Without asking anybody, if the lock is kept and the lease is good. `clock()` is what the lease
  // goes by; `due(number)` says that give_back() is.
  template <class Clock, class Due>
  std::optional<Entry> enter_again(const LeaseTerm& lease, Clock&& clock, Due&& due) noexcept;
  // True: it is not kept, so give_back() is due.
  bool leave(std::uint64_t number) noexcept;

  // --- the member's driver ---

  // As the table knows it.
  std::optional<WaiterId> holder() const { return holder_; }
  // Its first entry. What is not to be kept is given back by its unlock.
  Entry grant(const Grant& grant, bool keep, LeaseTerm::Number term);
  // Nothing if the entry of that number was lost.
  std::optional<GivenBack> give_back(std::uint64_t number);
  // The next unlock gives back; at once, if nobody is inside.
  std::optional<GivenBack> stop_keeping();
  // Before the view's report. What is only kept is not entered any more, and is nobody's from now
  // on; what is in use is given back by its unlock, however the view goes on.
  // REQUIRES: there is a holder.
  bool is_inside();
  // It is lost: nobody's from now on. The turn of the last entry.
  Turn take_back();

 private:
  enum class State : std::uint64_t {
    away = 0,    // Not ours to enter without asking.
    kept = 1,    // Nobody is inside, and the table believes that we are.
    used = 2,    // Somebody is inside.
    wanted = 3,  // Somebody is inside, and the unlock gives back.
  };
  // Two bits of state, and above them the number of the last entry.
  static constexpr std::uint64_t word_of(State state, std::uint64_t number) {
    return number << 2 | static_cast<std::uint64_t>(state);
  }
  static constexpr State state_of(std::uint64_t word) { return static_cast<State>(word & 3); }
  static constexpr std::uint64_t number_of(std::uint64_t word) { return word >> 2; }

  // Nobody enters by the word from here on. What it was before.
  std::uint64_t stop_entering();
  // The one of that number, by the last grant.
  Entry entry_for(std::uint64_t number) const noexcept;

  std::atomic<std::uint64_t> word_{word_of(State::away, 0)};
  // Of the last grant, written while the word is away: its number, its fence, its term.
  std::atomic<std::uint64_t> first_{0}, epoch_{0}, turn_{0};
  std::atomic<LeaseTerm::Number> term_{0};
  std::optional<WaiterId> holder_;
};

// In the header: they are all that a lock() and an unlock() of what is kept take.

inline KeptWord::Entry KeptWord::entry_for(std::uint64_t number) const noexcept {
  const std::uint64_t again = number - first_.load(std::memory_order_acquire);
  return {number,
          {Epoch{epoch_.load(std::memory_order_acquire)},
           Turn{turn_.load(std::memory_order_acquire) + again}},
          term_.load(std::memory_order_acquire)};
}

template <class Clock, class Due>
inline std::optional<KeptWord::Entry> KeptWord::enter_again(const LeaseTerm& lease, Clock&& clock,
                                                            Due&& due) noexcept {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  while (state_of(word) == State::kept) {
    // If the driver changes any of this meanwhile, it has changed the word before.
    const Entry entry = entry_for(number_of(word) + 1);
    const Instant until = lease.until();
    if (entry.term != lease.number()) return std::nullopt;
    if (!word_.compare_exchange_weak(word, word_of(State::used, entry.number),
                                     std::memory_order_acq_rel, std::memory_order_acquire)) {
      continue;
    }
    // Looked at last: what is in time now was in time when the word was taken.
    if (until == LeaseTerm::kForever || clock() + LeaseTerm::kLeast <= until) return entry;
    if (leave(entry.number)) due(entry.number);
    return std::nullopt;
  }
  return std::nullopt;
}

inline bool KeptWord::leave(std::uint64_t number) noexcept {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const State state = state_of(word);
    // It was lost, and somebody else may be inside by now.
    if (number_of(word) != number) return false;
    if (state != State::used && state != State::wanted) return false;
    const bool keep = state == State::used;
    const std::uint64_t next = word_of(keep ? State::kept : State::away, number);
    if (word_.compare_exchange_weak(word, next, std::memory_order_release,
                                    std::memory_order_relaxed)) {
      return !keep;
    }
  }
}

}  // namespace hapax
