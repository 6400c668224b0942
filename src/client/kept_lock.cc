#include "client/kept_lock.h"

namespace hapax::client {

KeptLock::~KeptLock() {
  if (forks_ != forks() || !at_) return;
  if (word_ != nullptr && kept::give_up(*word_)) at_->release(grant_);
  at_->forget(grant_);
  at_->words().put_back(index_);
}

bool KeptLock::enter_again(detail::Holding& holding) noexcept {
  if (!was_granted_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock{mutex_};
  if (word_ == nullptr) return false;
  std::uint64_t seen = word_->load(std::memory_order_acquire);
  while (kept::state_of(seen) == kept::State::kept) {
    if (!kept::enter(*word_, seen)) continue;
    const std::uint64_t number = kept::number_of(seen) + 1;
    // Looked at last: what is good now was good when the word was taken.
    if (!grant_.lost.stop_requested() && at_->valid_for() > std::chrono::milliseconds{0}) {
      holding = grant_;
      holding.entry = number;
      holding.fence.turn = Turn{hapax::number(grant_.fence.turn) + (number - grant_.entry)};
      return true;
    }
    if (kept::leave(*word_, number, false) == kept::Left::back) at_->release(grant_);
    return false;
  }
  return false;
}

std::uint32_t KeptLock::word_at(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock{mutex_};
  // Most take a lock once.
  if (!was_asked_for_) {
    was_asked_for_ = true;
    return 0;
  }
  if (at_ != connection) {
    // What an earlier one granted was lost with it.
    if (at_) at_->words().put_back(index_);
    at_ = connection;
    word_ = nullptr;
    index_ = connection->words().take();
  }
  return index_;
}

void KeptLock::on_granted(const std::shared_ptr<Connection>& connection, detail::Holding& holding) {
  if (holding.entry == 0) return;
  const std::lock_guard lock{mutex_};
  kept::Word* const word = at_ == connection ? connection->words().find(index_) : nullptr;
  if (word == nullptr) {
    holding.entry = 0;  // To be given back as any other.
    return;
  }
  connection->forget(grant_);  // It was given back, taken back or lost: or this could not be.
  word_ = word;
  grant_ = holding;
  was_granted_.store(true, std::memory_order_relaxed);
}

bool KeptLock::leave(const detail::Holding& holding) noexcept {
  if (holding.entry == 0) return false;
  const std::lock_guard lock{mutex_};
  if (word_ == nullptr || holding.request != grant_.request) return false;  // It was lost.
  const bool may_keep = !grant_.lost.stop_requested();
  if (kept::leave(*word_, holding.entry, may_keep) == kept::Left::back) at_->release(holding);
  return true;
}

}  // namespace hapax::client
