#include "member/local_lock.h"

#include "base/check.h"
#include "hapax/error.h"

namespace hapax::client {

void Member::LocalLock::ask(Waiting& waiting) {
  open_.push_back(waiting);
  if (member_.has_left_) return end(waiting, Errc::lost, {});
  const auto asked = member_.daemon_->acquire(name_, waiting.known_as, *this);
  if (!asked) end(waiting, Errc::refused, {});
}

void Member::LocalLock::give_up(WaiterId waiter, std::error_code why) {
  for (Waiting& waiting : open_) {
    if (waiting.known_as != waiter) continue;
    HAPAX_CHECK(member_.daemon_->abandon(name_, waiter));
    return end(waiting, why, {});
  }
}

void Member::LocalLock::on_granted(const hapax::Grant& grant) {
  const auto [waiter, fence, may_keep] = grant;
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

void Member::LocalLock::on_recalled(WaiterId) {
  member_.lease_.end();
  stop_keeping();
}

void Member::LocalLock::stop_keeping() {
  const std::uint64_t before = stop_entering();
  if (keeping_of(before) == Keeping::kept) give_back(number_of(before));
}

bool Member::LocalLock::is_inside(WaiterId waiter) {
  if (holder_ != waiter) return true;  // It has not been told yet.
  if (keeping_of(stop_entering()) != Keeping::kept) return true;
  holder_.reset();
  return false;
}

std::optional<Turn> Member::LocalLock::take_back(WaiterId waiter) {
  if (holder_ != waiter) return std::nullopt;
  holder_.reset();
  return entry_for(number_of(take_word())).fence.turn;
}

void Member::LocalLock::on_lost(WaiterId waiter, const std::string&) {
  (void)take_back(waiter);  // It was told of its grant after that had been lost.
  member_.lease_.end();
}

void Member::LocalLock::give_back(std::uint64_t number) {
  // It was lost, or the member has left.
  if (!holder_ || number_of(word_.load(std::memory_order_relaxed)) != number) return;
  const WaiterId holder = *std::exchange(holder_, std::nullopt);
  member_.daemon_->release(name_, holder, entry_for(number).fence.turn);
}

void Member::LocalLock::give_all_up() {
  while (!open_.empty()) end(open_.front(), Errc::lost, {});
}

void Member::LocalLock::close() {
  HAPAX_CHECK(open_.empty());
  give_back(number_of(take_word()));
}

std::uint64_t Member::LocalLock::stop_entering() {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const Keeping keeping = keeping_of(word);
    if (keeping != Keeping::kept && keeping != Keeping::used) return word;
    const Keeping next = keeping == Keeping::kept ? Keeping::away : Keeping::wanted;
    if (word_.compare_exchange_weak(word, word_of(next, number_of(word)), std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      return word;
    }
  }
}

std::uint64_t Member::LocalLock::take_word() {
  return word_.fetch_and(~word_of(Keeping::wanted, 0), std::memory_order_acq_rel);
}

void Member::LocalLock::end(Waiting& waiting, std::error_code error,
                            const detail::Holding& holding) {
  open_.erase(open_.iterator_to(waiting));
  waiting.answer(error, holding);
}

}  // namespace hapax::client
