// The members of a view under numbers, and what each does on each input. The algorithm objects are
// the real ones; since they are deterministic, what a member in a given state does on a given input
// is computed once and looked up from then on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "check/options.h"
#include "core/clocks.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "search/parts.h"
#include "search/search.h"
#include "wire/codec.h"

namespace hapax {

template <MutexAlgorithm A>
class Members {
 public:
  using Message = typename A::Message;

  // What can happen to a member, as a number.
  static constexpr std::uint32_t kRequest = 0;
  static constexpr std::uint32_t kRelease = 1;
  static constexpr std::uint32_t kRequestShared = 2;
  static constexpr std::uint32_t kFirstReceive = 3;
  std::uint32_t receive(std::uint32_t from, std::uint32_t message) const {
    return kFirstReceive + message * n_ + from;
  }

  struct Send {
    std::uint32_t to;
    std::uint32_t message;
  };
  struct Outcome {
    std::uint32_t local;  // The member's state afterwards.
    std::uint32_t first_send;
    std::uint32_t sends;
    Reject rejected;
    bool enters;
    Turn turn;  // If it enters.
  };

  Members(const CheckOptions& options, const typename OptionsOf<A>::Type& choice)
      : n_(options.n), forever_(options.forever), locals_(n_), faces_(n_), outcomes_(n_) {
    View view{Epoch{1}, n_, NodeId{}, options.holder, options.held};
    for (std::uint32_t i = 0; i < n_; ++i) {
      view.self = NodeId{i};
      initial_.push_back(
          {first_of(view, choice, options), static_cast<std::uint8_t>(options.entries)});
      // Clocks may start anywhere; from 1 on, a 0 says that there is none.
      if constexpr (requires(A a) { a.raise_clock(Clock{1}); }) {
        if (forever_) initial_.back().algorithm.raise_clock(Clock{1});
      }
    }
  }

  std::uint32_t most_locals() const {
    std::uint32_t most = 0;
    for (const auto& parts : locals_) most = std::max(most, parts.size());
    return most;
  }
  Phase phase(std::uint32_t i, std::uint32_t local) const { return faces_[i][local].phase; }
  bool may_ask(std::uint32_t i, std::uint32_t local) const { return faces_[i][local].may_ask; }
  const Holding& holding(std::uint32_t i, std::uint32_t local) const {
    return faces_[i][local].holding;
  }
  // Units that may be inside at a time, shared.
  std::uint32_t capacity() const {
    if constexpr (SharedAlgorithm<A>) return initial_[0].algorithm.capacity();
    return 1;
  }
  std::span<const Send> sends(const Outcome& outcome) const {
    return std::span{sends_}.subspan(outcome.first_send, outcome.sends);
  }

  // The view begins: member i before anything happened to it.
  Outcome begin(std::uint32_t i) {
    Local local = initial_[i];
    fx_.clear();
    start(local.algorithm, fx_);
    return outcome_of(i, local);
  }

  // While frozen, what was not seen before throws Unknown.
  void freeze(bool on) { frozen_ = on; }

  // Valid until the next call.
  const Outcome& react(std::uint32_t i, std::uint32_t local, std::uint32_t input) {
    std::vector<std::vector<std::uint32_t>>& table = outcomes_[i];
    if (local < table.size() && input < table[local].size() && table[local][input] != 0) {
      return known_[table[local][input] - 1];
    }
    if (frozen_) throw Unknown{};
    if (local >= table.size()) table.resize(locals_[i].size());
    if (input >= table[local].size()) table[local].resize(input + 1, 0);
    known_.push_back(compute(i, local, input));
    table[local][input] = static_cast<std::uint32_t>(known_.size());
    return known_.back();
  }

  // For a search without end: the lowest clock within, and the same with all clocks lowered.
  std::uint64_t lowest_in_local(std::uint32_t i, std::uint32_t local) const {
    return faces_[i][local].lowest;
  }
  std::uint32_t lower_local(std::uint32_t i, std::uint32_t local, std::uint64_t by) {
    const Local& before = locals_[i][local];
    return number_of(i, Local{with_clocks_lowered(before.algorithm, by), before.left});
  }
  std::uint64_t lowest_in_message(std::uint32_t message) const { return lowest_[message]; }
  std::uint32_t lower_message(std::uint32_t message, std::uint64_t by) {
    return number_of(with_clocks_lowered(messages_[message], by));
  }

 private:
  struct Local {
    A algorithm;
    std::uint8_t left;  // How often it may still ask.
  };
  struct Face {  // What the search asks about a local state all the time.
    Phase phase;
    bool may_ask;
    Holding holding;
    std::uint64_t lowest;
  };

  static A first_of(const View& view, const typename OptionsOf<A>::Type& choice,
                    const CheckOptions& options) {
    if constexpr (SharedAlgorithm<A>) {
      if (!options.holdings.empty()) {
        return A{view, choice, options.holdings[number(view.self)]};
      }
    }
    return make<A>(view, choice);
  }

  Outcome compute(std::uint32_t i, std::uint32_t local, std::uint32_t input) {
    Local next = locals_[i][local];
    fx_.clear();
    if (input == kRequest) {
      if (!forever_) --next.left;
      next.algorithm.request(fx_);
    } else if (input == kRequestShared) {
      if (!forever_) --next.left;
      if constexpr (SharedAlgorithm<A>) next.algorithm.request(Mode::shared, fx_);
    } else if (input == kRelease) {
      next.algorithm.release(fx_);
    } else {
      const std::uint32_t received = input - kFirstReceive;
      next.algorithm.receive(NodeId{received % n_}, messages_[received / n_], fx_);
    }
    return outcome_of(i, next);
  }

  Outcome outcome_of(std::uint32_t i, const Local& local) {
    const auto first = static_cast<std::uint32_t>(sends_.size());
    fx_.for_each_message(NodeId{i}, n_, [&](NodeId to, const Message& message) {
      sends_.push_back({number(to), number_of(message)});
    });
    return {number_of(i, local),
            first,
            static_cast<std::uint32_t>(sends_.size()) - first,
            fx_.rejected(),
            fx_.entered().has_value(),
            fx_.entered().value_or(Turn{})};
  }

  static std::string_view view_of(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::uint32_t number_of(std::uint32_t i, const Local& local) {
    key_.clear();
    encode_to(key_, local.algorithm);
    key_.push_back(local.left);
    const std::uint32_t number = locals_[i].number_of(view_of(key_), [&] { return local; });
    if (number == faces_[i].size()) {
      const Phase phase = local.algorithm.phase();
      bool may_ask = phase == Phase::idle;
      Holding holding{Mode::exclusive, phase == Phase::inside ? 1u : 0u};
      if constexpr (SharedAlgorithm<A>) {
        may_ask = local.algorithm.may_request();
        holding = local.algorithm.holding();
      }
      faces_[i].push_back(
          {phase, may_ask && local.left > 0, holding, lowest_clock(local.algorithm)});
    }
    return number;
  }
  std::uint32_t number_of(const Message& message) {
    key_.clear();
    encode_to(key_, message);
    const std::uint32_t number = messages_.number_of(view_of(key_), [&] { return message; });
    if (number == lowest_.size()) lowest_.push_back(lowest_clock(message));
    return number;
  }

  std::uint32_t n_;
  bool forever_;
  bool frozen_ = false;
  Parts<Message> messages_;
  std::vector<std::uint64_t> lowest_;  // By message.
  std::vector<Parts<Local>> locals_;
  std::vector<std::vector<Face>> faces_;  // By member and local state.
  // By member, its state and the input: one more than the place in known_; 0 if it was never seen.
  std::vector<std::vector<std::vector<std::uint32_t>>> outcomes_;
  std::vector<Outcome> known_;
  std::vector<Send> sends_;
  std::vector<Local> initial_;
  Effects<Message> fx_;
  Bytes key_;
};

}  // namespace hapax
