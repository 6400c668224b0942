// The members of a view under numbers, and what each does on each input. The algorithm objects are
// the real ones; since they are deterministic, what a member in a given state does on a given input
// is computed once and looked up from then on.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "check/options.h"
#include "check/reaction.h"
#include "core/instance.h"
#include "search/parts.h"

namespace hapax {

class Reactions {
 public:
  // What can happen to a member, as a number. The first three it does of itself.
  static constexpr std::uint32_t kRequest = 0;
  static constexpr std::uint32_t kRequestShared = 1;
  static constexpr std::uint32_t kRelease = 2;
  static constexpr std::uint32_t kFirstReceive = 3;
  std::uint32_t receive(std::uint32_t from, std::uint32_t message) const {
    return kFirstReceive + message * n_ + from;
  }

  // Of what is received.
  std::uint32_t sender(std::uint32_t input) const { return (input - kFirstReceive) % n_; }

  using Sent = SentMessage;
  using Effect = MemberEffect;
  using Reaction = MemberReaction;
  static constexpr std::uint32_t kNoEffect = 0;
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  Reactions(const Operations& algorithm, const CheckOptions& options, const MutexChoices& choices);

  std::uint32_t most_locals() const { return most_locals_; }
  Phase phase(std::uint32_t i, std::uint32_t local) const { return faces_[i][local].phase; }
  const Holding& holding(std::uint32_t i, std::uint32_t local) const {
    return faces_[i][local].holding;
  }
  // What it can do of itself: a bit for each of the first inputs.
  std::uint32_t own_inputs(std::uint32_t i, std::uint32_t local) const {
    return faces_[i][local].own_inputs;
  }
  // As far as the member can tell: anything may be received.
  bool is_possible(std::uint32_t i, std::uint32_t local, std::uint32_t input) const {
    return input >= kFirstReceive || (own_inputs(i, local) >> input & 1) != 0;
  }
  // Units that may be inside at a time, shared.
  std::uint32_t capacity() const { return capacity_; }
  const Effect& effect(const Reaction& reaction) const { return effects_[reaction.effect]; }
  std::span<const Sent> sends(const Effect& effect) const {
    return {sends_.data() + effect.first_send, effect.sends};
  }

  // The view begins: member i before anything happened to it.
  Reaction begin(std::uint32_t i);

  // While frozen, what was not seen before leads to kUnknown.
  void freeze(bool on) { frozen_ = on; }

  Reaction react(std::uint32_t i, std::uint32_t local, std::uint32_t input) {
    const std::vector<Reaction>& known = faces_[i][local].known;
    const bool is_known = input < known.size() && known[input].local != kUnknown;
    return is_known ? known[input] : react_anew(i, local, input);
  }

  // For a search without end: the lowest clock within, and the same with all clocks lowered.
  std::uint64_t lowest_in_local(std::uint32_t i, std::uint32_t local) const {
    return faces_[i][local].lowest;
  }
  std::uint32_t lower_local(std::uint32_t i, std::uint32_t local, std::uint64_t by);
  std::uint64_t lowest_in_message(std::uint32_t message) const { return messages_[message]; }
  std::uint32_t lower_message(std::uint32_t message, std::uint64_t by);

 private:
  struct Local {
    Instance algorithm;
    std::uint8_t left;  // How often it may still ask.
  };
  struct Face {                   // What the search often asks about a local state.
    std::vector<Reaction> known;  // By input.
    std::uint32_t own_inputs;
    Phase phase;
    Holding holding;
    std::uint64_t lowest;
  };

  Reaction react_anew(std::uint32_t i, std::uint32_t local, std::uint32_t input);
  void apply(Local& local, std::uint32_t input);
  Reaction reaction_of(std::uint32_t i, const Local& local);
  std::uint32_t number_of(std::uint32_t i, const Local& local);
  std::uint32_t own_inputs_of(const Local& local) const;
  std::uint32_t number_of_message(std::span<const std::uint8_t> message);
  std::span<const std::uint8_t> message(std::uint32_t number) const;

  const Operations& operations_;
  std::uint32_t n_;
  bool has_modes_;
  bool forever_;
  bool frozen_ = false;
  std::uint32_t capacity_;
  Parts<std::uint64_t> messages_;  // By their bytes; of each, the lowest clock within.
  std::vector<Parts<Local>> locals_;
  std::uint32_t most_locals_ = 0;         // Of a member.
  std::vector<std::vector<Face>> faces_;  // By member and local state.
  std::vector<Effect> effects_{1};        // The first is none.
  std::vector<Sent> sends_;
  std::vector<Local> initial_;
  InstanceEffects fx_;
  std::vector<std::uint8_t> key_;
};

}  // namespace hapax
