#include "service/kept_word.h"

#include <utility>

#include "base/check.h"

namespace hapax {

KeptWord::Entry KeptWord::grant(const Grant& grant, bool keep, LeaseTerm::Number term) {
  const std::uint64_t before = word_.load(std::memory_order_relaxed);
  HAPAX_CHECK(state_of(before) == State::away);
  const std::uint64_t number = number_of(before) + 1;
  holder_ = grant.waiter;
  first_.store(number, std::memory_order_release);
  epoch_.store(hapax::number(grant.fence.epoch), std::memory_order_release);
  turn_.store(hapax::number(grant.fence.turn), std::memory_order_release);
  term_.store(term, std::memory_order_release);
  word_.store(word_of(keep ? State::used : State::wanted, number), std::memory_order_release);
  return {number, grant.fence, term};
}

std::optional<KeptWord::GivenBack> KeptWord::give_back(std::uint64_t number) {
  if (!holder_ || number_of(word_.load(std::memory_order_relaxed)) != number) return std::nullopt;
  return GivenBack{*std::exchange(holder_, std::nullopt), entry_for(number).fence.turn};
}

std::optional<KeptWord::GivenBack> KeptWord::stop_keeping() {
  const std::uint64_t before = stop_entering();
  if (state_of(before) != State::kept) return std::nullopt;
  return give_back(number_of(before));
}

bool KeptWord::is_inside() {
  HAPAX_CHECK(holder_.has_value());
  if (state_of(stop_entering()) != State::kept) return true;
  holder_.reset();
  return false;
}

Turn KeptWord::take_back() {
  holder_.reset();
  const std::uint64_t before =
      word_.fetch_and(~word_of(State::wanted, 0), std::memory_order_acq_rel);
  return entry_for(number_of(before)).fence.turn;
}

std::uint64_t KeptWord::stop_entering() {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const State state = state_of(word);
    if (state != State::kept && state != State::used) return word;
    const State next = state == State::kept ? State::away : State::wanted;
    if (word_.compare_exchange_weak(word, word_of(next, number_of(word)), std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      return word;
    }
  }
}

}  // namespace hapax
