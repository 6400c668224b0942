// One lock of a member inside this program: its word, and who waits for it. For member.cc alone.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/boot_clock.h"
#include "base/check.h"
#include "client/gateway.h"
#include "hapax/error.h"
#include "member/member.h"

namespace hapax::client {

// The word of a lock: two bits of state, and above them the number of the last entry. No two
// entries have the same number, so that what was lost cannot be taken for what is held
// now.
enum class Keeping : std::uint64_t {
  away = 0,    // Not ours to enter without asking.
  kept = 1,    // Nobody is inside, and the table believes that we are.
  used = 2,    // Somebody is inside.
  wanted = 3,  // Somebody is inside, and the unlock gives back.
};
constexpr std::uint64_t kNumberShift = 2;

constexpr std::uint64_t word_of(Keeping keeping, std::uint64_t number) {
  return number << kNumberShift | static_cast<std::uint64_t>(keeping);
}
constexpr Keeping keeping_of(std::uint64_t word) { return static_cast<Keeping>(word & 3); }
constexpr std::uint64_t number_of(std::uint64_t word) { return word >> kNumberShift; }

// A request of this process that the daemon knows of. All of it belongs to the loop.
class Member::Waiting : public boost::intrusive::list_base_hook<> {
 public:
  // May be gone when it returns.
  virtual void answer(std::error_code error, const detail::Holding& holding) = 0;

  WaiterId known_as{};

 protected:
  ~Waiting() = default;
};

// One lock of this process. Everything but the word, and what goes with it, belongs to the loop.
class Member::LocalLock final : public detail::LockHandle,
                                public Asker,
                                public std::enable_shared_from_this<LocalLock> {
 public:
  LocalLock(Member& member, std::string name) : member_(member), name_(std::move(name)) {}

  // --- any thread ---

  bool enter_again(detail::Holding& holding) noexcept;
  void leave(std::uint64_t number) noexcept;
  Member& member() { return member_; }

  // --- the loop ---

  // `waiting` may be answered, and gone, before this returns.
  void ask(Waiting& waiting);
  void give_up(WaiterId waiter, std::error_code why);
  void on_granted(const hapax::Grant& grant) override;
  void on_wanted(WaiterId) override { stop_keeping(); }
  // Its holder is told that it is lost, and its unlock gives it back; until then nobody else is let
  // in, unless the lease runs out.
  void on_recalled(WaiterId) override;
  // The next unlock gives back; at once, if nobody is inside.
  void stop_keeping();
  // Before the report: what is only kept is not entered any more, and what is in use is given back
  // by its unlock, however the view goes on.
  bool is_inside(WaiterId waiter) override;
  std::optional<Turn> take_back(WaiterId waiter) override;
  void on_lost(WaiterId waiter, const std::string& why) override;
  bool can_lose() const override { return member_.can_lose_; }
  void give_back(std::uint64_t number);
  // The member has left its group: nobody waits any longer.
  void give_all_up();
  // The member is about to be gone. Nobody waits any more; what is held or kept is released, since
  // others may wait for it.
  void close();

 private:
  struct Entry {
    std::uint64_t number;
    Fence fence;
    Lease::Term term;
  };

  // Nobody enters by the word from here on: what was kept is away, and the unlock of what is in use
  // gives back. What it was before.
  std::uint64_t stop_entering();
  // Away, whatever it was; the number stays.
  std::uint64_t take_word();
  void end(Waiting& waiting, std::error_code error, const detail::Holding& holding);
  // The one of that number, by the last grant.
  Entry entry_for(std::uint64_t number) const noexcept;

  Member& member_;
  const std::string name_;
  std::atomic<std::uint64_t> word_{word_of(Keeping::away, 0)};
  // Of the last grant, written while the word is away: its number, its fence, its term.
  std::atomic<std::uint64_t> first_{0}, epoch_{0}, turn_{0};
  std::atomic<Lease::Term> term_{0};
  std::optional<WaiterId> holder_;        // As the table knows it.
  boost::intrusive::list<Waiting> open_;  // In the order of their asking.
};

// In the header: they are all that a lock() and an unlock() of what is kept take.

inline Member::LocalLock::Entry Member::LocalLock::entry_for(std::uint64_t number) const noexcept {
  const std::uint64_t again = number - first_.load(std::memory_order_acquire);
  return {number,
          {Epoch{epoch_.load(std::memory_order_acquire)},
           Turn{turn_.load(std::memory_order_acquire) + again}},
          term_.load(std::memory_order_acquire)};
}

inline bool Member::LocalLock::enter_again(detail::Holding& holding) noexcept {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  while (keeping_of(word) == Keeping::kept) {
    // If the loop changes any of this meanwhile, it has changed the word before.
    const Entry entry = entry_for(number_of(word) + 1);
    const Instant until = member_.lease_.until();
    if (entry.term != member_.lease_.term()) return false;
    if (!word_.compare_exchange_weak(word, word_of(Keeping::used, entry.number),
                                     std::memory_order_acq_rel, std::memory_order_acquire)) {
      continue;
    }
    // Looked at last: what is in time now was in time when the word was taken.
    if (until != Lease::kForever && boot_clock_now() + Lease::kLeast > until) {
      leave(entry.number);
      return false;
    }
    holding.request = entry.number;
    holding.fence = entry.fence;
    holding.term = entry.term;
    return true;
  }
  return false;
}

inline void Member::LocalLock::leave(std::uint64_t number) noexcept {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const Keeping keeping = keeping_of(word);
    // It was lost, and somebody else may be inside by now.
    if (number_of(word) != number) return;
    if (keeping != Keeping::used && keeping != Keeping::wanted) return;
    const bool keep = keeping == Keeping::used;
    const std::uint64_t next = word_of(keep ? Keeping::kept : Keeping::away, number);
    if (!word_.compare_exchange_weak(word, next, std::memory_order_release,
                                     std::memory_order_relaxed)) {
      continue;
    }
    if (keep) return;
    break;
  }
  member_.loop_.visit([self = shared_from_this(), number] { self->give_back(number); });
}

}  // namespace hapax::client
