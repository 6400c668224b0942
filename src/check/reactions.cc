#include "check/reactions.h"

#include <algorithm>

#include "base/check.h"
#include "search/model.h"

namespace hapax {
namespace {

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Reactions::Reactions(const Operations& algorithm, const CheckOptions& options,
                     const MutexChoices& choices)
    : operations_(algorithm),
      n_(options.n),
      has_modes_(algorithm.modes.size() > 1),
      forever_(options.forever),
      locals_(n_),
      faces_(n_) {
  View view{Epoch{1}, n_, NodeId{}, options.holder, options.held};
  for (std::uint32_t i = 0; i < n_; ++i) {
    view.self = NodeId{i};
    Instance first = options.holdings.empty()
                         ? Instance{algorithm, view, choices}
                         : Instance{algorithm, view, choices, options.holdings[i]};
    // Clocks may start anywhere; from 1, since 0 means that there is none.
    if (forever_ && first.clock()) first.raise_counter(1);
    initial_.push_back({std::move(first), static_cast<std::uint8_t>(options.entries)});
  }
  capacity_ = initial_[0].algorithm.capacity();
}

Reactions::Reaction Reactions::begin(std::uint32_t i) {
  Local local = initial_[i];
  fx_.clear();
  local.algorithm.start(fx_);
  return reaction_of(i, local);
}

Reactions::Reaction Reactions::react_anew(std::uint32_t i, std::uint32_t local,
                                          std::uint32_t input) {
  if (frozen_) return {kUnknown, kNoEffect};
  Local next = locals_[i][local];
  fx_.clear();
  apply(next, input);
  const Reaction reaction = reaction_of(i, next);
  std::vector<Reaction>& known = faces_[i][local].known;
  if (input >= known.size()) known.resize(input + 1, {kUnknown, kNoEffect});
  return known[input] = reaction;
}

void Reactions::apply(Local& local, std::uint32_t input) {
  const bool asks = input == kRequest || input == kRequestShared;
  if (asks && !forever_) --local.left;
  if (input == kRequest) {
    local.algorithm.request(fx_);
  } else if (input == kRequestShared) {
    local.algorithm.request(Mode::shared, fx_);
  } else if (input == kRelease) {
    local.algorithm.release(fx_);
  } else {
    const std::uint32_t received = input - kFirstReceive;
    const bool understood =
        local.algorithm.receive(NodeId{received % n_}, message(received / n_), fx_);
    HAPAX_CHECK(understood);
  }
}

Reactions::Reaction Reactions::reaction_of(std::uint32_t i, const Local& local) {
  const auto first = static_cast<std::uint32_t>(sends_.size());
  for (const auto& send : fx_.sends()) {
    const std::uint32_t message = number_of_message(fx_.bytes(send));
    fx_.for_each_receiver(send, NodeId{i}, n_, [&](NodeId to) {
      HAPAX_CHECK(number(to) != i);
      sends_.push_back({number(to), message});
    });
  }
  const auto sends = static_cast<std::uint32_t>(sends_.size()) - first;
  const bool enters = fx_.entered().has_value();
  std::uint32_t effect = kNoEffect;
  if (sends > 0 || enters || fx_.rejected() != Reject::none) {
    effect = static_cast<std::uint32_t>(effects_.size());
    effects_.push_back({first, sends, fx_.rejected(), enters, fx_.entered().value_or(Turn{})});
  }
  return {number_of(i, local), effect};
}

std::uint32_t Reactions::number_of(std::uint32_t i, const Local& local) {
  key_.clear();
  local.algorithm.encode_to(key_);
  key_.push_back(local.left);
  const std::uint32_t number = locals_[i].number_of(text_of(key_), [&] { return local; });
  if (number == faces_[i].size()) {
    most_locals_ = std::max(most_locals_, number + 1);
    const Instance& algorithm = local.algorithm;
    faces_[i].push_back({{},
                         own_inputs_of(local),
                         algorithm.phase(),
                         algorithm.holding(),
                         algorithm.lowest_clock()});
  }
  return number;
}

std::uint32_t Reactions::own_inputs_of(const Local& local) const {
  std::uint32_t inputs = 0;
  if (local.algorithm.may_request() && local.left > 0) {
    inputs |= 1u << kRequest;
    if (has_modes_) inputs |= 1u << kRequestShared;
  }
  if (local.algorithm.holding().units > 0) inputs |= 1u << kRelease;
  return inputs;
}

std::uint32_t Reactions::number_of_message(std::span<const std::uint8_t> message) {
  return messages_.number_of(text_of(message),
                             [&] { return operations_.lowest_clock_of_message(message); });
}

std::span<const std::uint8_t> Reactions::message(std::uint32_t number) const {
  const std::string_view key = messages_.key(number);
  return {reinterpret_cast<const std::uint8_t*>(key.data()), key.size()};
}

std::uint32_t Reactions::lower_local(std::uint32_t i, std::uint32_t local, std::uint64_t by) {
  Local lower = locals_[i][local];
  lower.algorithm.lower_clocks(by);
  return number_of(i, lower);
}

std::uint32_t Reactions::lower_message(std::uint32_t message, std::uint64_t by) {
  const std::span<const std::uint8_t> bytes = this->message(message);
  std::vector<std::uint8_t> lower{bytes.begin(), bytes.end()};
  operations_.lower_clocks_of_message(lower, by);
  return number_of_message(lower);
}

}  // namespace hapax
