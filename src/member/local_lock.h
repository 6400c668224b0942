// One lock of a member inside this program: its word, and who waits for it.
//
// For member.cc alone.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "client/gateway.h"
#include "member/member.h"
#include "hapax/error.h"
#include "base/boot_clock.h"

namespace hapax::client {

// The word of a spot: two bits of state, and above them the number of the last entry. No two
// entries by one spot have the same number, so that what was lost cannot be taken for what is held
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
class Member::Kept final : public detail::Spot,
                           public LocalAsker,
                           public std::enable_shared_from_this<Kept> {
 public:
  Kept(Member& member, std::string name) : member_(member), name_(std::move(name)) {}

  // --- any thread ---

  bool enter_again(detail::Holding& holding) noexcept {
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
      if (until != Lease::kForever && boot_clock_now() >= until) {
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

  void leave(std::uint64_t number) noexcept {
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

  Member& member() { return member_; }

  // --- the loop ---

  // `waiting` may be answered, and gone, before this returns.
  void ask(Waiting& waiting) {
    open_.push_back(waiting);
    if (member_.has_left_) return end(waiting, Errc::lost, {});
    const auto asked = member_.daemon_->acquire(name_, waiting.known_as, *this);
    if (!asked) end(waiting, Errc::refused, {});
  }
  void give_up(WaiterId waiter, std::error_code why) {
    for (Waiting& waiting : open_) {
      if (waiting.known_as != waiter) continue;
      HAPAX_CHECK(member_.daemon_->abandon(name_, waiter));
      return end(waiting, why, {});
    }
  }
  void on_granted(WaiterId waiter, Fence fence, bool may_keep) override {
    const std::uint64_t before = word_.load(std::memory_order_relaxed);
    HAPAX_CHECK(keeping_of(before) == Keeping::away);
    const std::uint64_t number = number_of(before) + 1;
    holder_ = waiter;
    first_.store(number, std::memory_order_release);
    epoch_.store(hapax::number(fence.epoch), std::memory_order_release);
    turn_.store(hapax::number(fence.turn), std::memory_order_release);
    term_.store(member_.lease_.grant(), std::memory_order_release);
    // What cannot be kept is released by the first unlock; nor is what a view granted that has
    // stopped meanwhile.
    const bool keep = may_keep && fence.epoch == member_.daemon_->epoch() && !member_.is_leaving_;
    word_.store(word_of(keep ? Keeping::used : Keeping::wanted, number), std::memory_order_release);
    // First come, first served: as a rule it is the first.
    auto at = open_.begin();
    while (at->known_as != waiter) ++at;
    end(*at, {}, {number, fence, {}, term_.load(std::memory_order_relaxed)});
  }
  void on_wanted(WaiterId) override { stop_keeping(); }
  // Told as if it were lost, and given back by its unlock: so long it is its own, or the lease's.
  void on_recalled(WaiterId) override {
    member_.lease_.end();
    stop_keeping();
  }
  // The next unlock gives back; at once, if nobody is inside.
  void stop_keeping() {
    const std::uint64_t before = stop_entering();
    if (keeping_of(before) == Keeping::kept) give_back(number_of(before));
  }
  // Before the report: what is only kept is not entered any more, and what is in use is given back
  // by its unlock, however the view goes on.
  bool is_inside(WaiterId waiter) override {
    if (holder_ != waiter) return true;  // It has not been told yet.
    if (keeping_of(stop_entering()) != Keeping::kept) return true;
    holder_.reset();
    return false;
  }
  std::optional<Turn> take_back(WaiterId waiter) override {
    if (holder_ != waiter) return std::nullopt;
    holder_.reset();
    return entry_for(number_of(take_word())).fence.turn;
  }
  void on_lost(WaiterId waiter) override {
    (void)take_back(waiter);  // It was told of its grant after that had been lost.
    member_.lease_.end();
  }
  void give_back(std::uint64_t number) {
    // It was lost, or the member has left.
    if (!holder_ || number_of(word_.load(std::memory_order_relaxed)) != number) return;
    const WaiterId holder = *std::exchange(holder_, std::nullopt);
    member_.daemon_->release(name_, holder, entry_for(number).fence.turn);
  }
  // The member has left its group: nobody waits any longer.
  void give_all_up() {
    while (!open_.empty()) end(open_.front(), Errc::lost, {});
  }
  // The member is about to be gone. Nobody waits any more; what is held or kept is released, since
  // others may wait for it.
  void close() {
    HAPAX_CHECK(open_.empty());
    give_back(number_of(take_word()));
  }

 private:
  // Nobody enters by the word from here on: what was kept is away, and the unlock of what is in use
  // gives back. What it was before.
  std::uint64_t stop_entering() {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const Keeping keeping = keeping_of(word);
      if (keeping != Keeping::kept && keeping != Keeping::used) return word;
      const Keeping next = keeping == Keeping::kept ? Keeping::away : Keeping::wanted;
      if (word_.compare_exchange_weak(word, word_of(next, number_of(word)),
                                      std::memory_order_acquire, std::memory_order_relaxed)) {
        return word;
      }
    }
  }
  // Away, whatever it was; the number stays.
  std::uint64_t take_word() {
    return word_.fetch_and(~word_of(Keeping::wanted, 0), std::memory_order_acq_rel);
  }
  void end(Waiting& waiting, std::error_code error, const detail::Holding& holding) {
    open_.erase(open_.iterator_to(waiting));
    waiting.answer(error, holding);
  }
  struct Entry {
    std::uint64_t number;
    Fence fence;
    Lease::Term term;
  };
  // The one of that number, by the last grant.
  Entry entry_for(std::uint64_t number) const noexcept {
    const std::uint64_t again = number - first_.load(std::memory_order_acquire);
    return {number,
            {Epoch{epoch_.load(std::memory_order_acquire)},
             Turn{turn_.load(std::memory_order_acquire) + again}},
            term_.load(std::memory_order_acquire)};
  }

  Member& member_;
  const std::string name_;
  std::atomic<std::uint64_t> word_{word_of(Keeping::away, 0)};
  // Of the last grant, written while the word is away: its number, its fence, its term.
  std::atomic<std::uint64_t> first_{0}, epoch_{0}, turn_{0};
  std::atomic<Lease::Term> term_{0};
  std::optional<WaiterId> holder_;        // As the table knows it.
  boost::intrusive::list<Waiting> open_;  // In the order of their asking.
};

}  // namespace hapax::client
