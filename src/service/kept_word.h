// A lock of a program that is a member itself, and may stay there (kept/word.h): both halves of it,
// that of the program's threads and that of the member's driver.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/fence.h"
#include "kept/word.h"
#include "service/kept_grant.h"
#include "service/lease_term.h"

namespace hapax {

class KeptWord {
 public:
  struct Entry {
    std::uint64_t number = 0;
    Fence fence;
    LeaseTerm::Number term = 0;
  };
  using GivenBack = KeptGrant::GivenBack;

  // --- any thread ---

  // Without asking anybody, if the lock is kept and the lease is good. `clock()` is what the lease
  // goes by; `due(number)` says that give_back() is.
  template <class Clock, class Due>
  std::optional<Entry> enter_again(const LeaseTerm& lease, Clock&& clock, Due&& due) noexcept;
  // True: it is not kept, so give_back() is due.
  bool leave(std::uint64_t number) noexcept {
    return kept::leave(word_, number) == kept::Left::back;
  }

  // --- the member's driver: as KeptGrant's ---

  std::optional<WaiterId> holder() const { return grant_.holder(); }
  // Its first entry.
  Entry grant(const Grant& grant, bool keep, LeaseTerm::Number term) {
    const std::uint64_t number = grant_.next();
    first_.store(number, std::memory_order_release);
    epoch_.store(hapax::number(grant.fence.epoch), std::memory_order_release);
    turn_.store(hapax::number(grant.fence.turn), std::memory_order_release);
    term_.store(term, std::memory_order_release);
    grant_.grant(grant, keep);
    return {number, grant.fence, term};
  }
  std::optional<GivenBack> give_back(std::uint64_t number) { return grant_.give_back(number); }
  std::optional<GivenBack> stop_keeping() { return grant_.stop_keeping(); }
  bool is_inside() { return grant_.is_inside(); }
  Turn take_back() { return grant_.take_back(); }
  std::optional<Fence> fence() const { return grant_.fence(); }

 private:
  // The one of that number, by the last grant.
  Entry entry_for(std::uint64_t number) const noexcept;

  kept::Word word_{kept::word_of(kept::State::away, 0)};
  // Of the last grant, written while the word is away: its number, its fence, its term.
  std::atomic<std::uint64_t> first_{0}, epoch_{0}, turn_{0};
  std::atomic<LeaseTerm::Number> term_{0};
  KeptGrant grant_{word_};
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
[[gnu::always_inline]] inline std::optional<KeptWord::Entry> KeptWord::enter_again(
    const LeaseTerm& lease, Clock&& clock, Due&& due) noexcept {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  while (kept::state_of(word) == kept::State::kept) {
    // If the driver changes any of this meanwhile, it has changed the word before.
    const Entry entry = entry_for(kept::number_of(word) + 1);
    const Instant until = lease.until();
    if (entry.term != lease.number()) return std::nullopt;
    if (!kept::enter(word_, word)) continue;
    // Looked at last: what is in time now was in time when the word was taken.
    if (until == LeaseTerm::kForever || clock() + LeaseTerm::kLeast <= until) return entry;
    if (leave(entry.number)) due(entry.number);
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace hapax
