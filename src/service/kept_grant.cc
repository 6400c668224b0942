#include "service/kept_grant.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace hapax {

using kept::State;

void KeptGrant::grant(const Grant& grant, bool keep) {
  HAPAX_CHECK(!holder_.has_value());
  holder_ = grant.waiter;
  first_ = ++last_;
  fence_ = grant.fence;
  most_again_ = ~std::uint64_t{0};
  told_again_ = 0;
  word_.store(kept::word_of(keep ? State::used : State::wanted, first_), std::memory_order_release);
}

std::optional<KeptGrant::GivenBack> KeptGrant::give_back(std::uint64_t number) {
  if (!holder_ || kept::number_of(word_.load(std::memory_order_acquire)) != number) {
    return std::nullopt;
  }
  return GivenBack{*std::exchange(holder_, std::nullopt), turn_of(number)};
}

std::optional<KeptGrant::GivenBack> KeptGrant::stop_keeping() {
  if (!holder_) return std::nullopt;
  const std::uint64_t before = kept::stop_entering(word_);
  if (kept::state_of(before) != State::kept) return std::nullopt;
  return GivenBack{*std::exchange(holder_, std::nullopt), turn_of(kept::number_of(before))};
}

bool KeptGrant::is_inside() {
  HAPAX_CHECK(holder_.has_value());
  const std::uint64_t before = kept::stop_entering(word_);
  if (kept::state_of(before) != State::kept) return true;
  (void)turn_of(kept::number_of(before));
  holder_.reset();
  return false;
}

Turn KeptGrant::take_back() {
  holder_.reset();
  return turn_of(kept::number_of(kept::take_away(word_)));
}

std::optional<Fence> KeptGrant::fence() const {
  const std::uint64_t word = word_.load(std::memory_order_acquire);
  const State state = kept::state_of(word);
  if (!holder_ || (state != State::used && state != State::wanted)) return std::nullopt;
  told_again_ = again(kept::number_of(word));
  return Fence{fence_.epoch, Turn{hapax::number(fence_.turn) + told_again_}};
}

// One that says less than it was granted, or more than can be, has written there by itself: the
// most that can be is on the safe side. So is what was told before.
std::uint64_t KeptGrant::again(std::uint64_t number) const {
  return std::max(std::min(number - first_, most_again_), told_again_);
}

Turn KeptGrant::turn_of(std::uint64_t number) {
  last_ = std::max(last_, first_ + again(number));
  return Turn{hapax::number(fence_.turn) + again(number)};
}

}  // namespace hapax
