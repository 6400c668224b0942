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
#include "core/instance.h"
#include "search/parts.h"

namespace hapax {

class Reactions {
 public:
  // What can happen to a member, as a number.
  static constexpr std::uint32_t kRequest = 0;
  static constexpr std::uint32_t kRelease = 1;
  static constexpr std::uint32_t kRequestShared = 2;
  static constexpr std::uint32_t kFirstReceive = 3;
  std::uint32_t receive(std::uint32_t from, std::uint32_t message) const {
    return kFirstReceive + message * n_ + from;
  }

  // Of what is received.
  std::uint32_t sender(std::uint32_t input) const { return (input - kFirstReceive) % n_; }

  struct Sent {
    std::uint32_t to;
    std::uint32_t message;
  };
  struct Reaction {
    std::uint32_t local;  // The member's state afterwards.
    std::uint32_t first_send;
    std::uint32_t sends;
    Reject rejected;
    bool enters;
    Turn turn;  // If it enters.
  };

  Reactions(const Operations& algorithm, const CheckOptions& options, const MutexChoices& choices);

  std::uint32_t most_locals() const;
  Phase phase(std::uint32_t i, std::uint32_t local) const { return faces_[i][local].phase; }
  bool may_ask(std::uint32_t i, std::uint32_t local) const { return faces_[i][local].may_ask; }
  const Holding& holding(std::uint32_t i, std::uint32_t local) const {
    return faces_[i][local].holding;
  }
  // As far as the member can tell: anything may be received.
  bool is_possible(std::uint32_t i, std::uint32_t local, std::uint32_t input) const;
  // Units that may be inside at a time, shared.
  std::uint32_t capacity() const { return capacity_; }
  std::span<const Sent> sends(const Reaction& reaction) const {
    return std::span{sends_}.subspan(reaction.first_send, reaction.sends);
  }

  // The view begins: member i before anything happened to it.
  Reaction begin(std::uint32_t i);

  // While frozen, what was not seen before throws Unknown.
  void freeze(bool on) { frozen_ = on; }

  // Valid until the next call.
  const Reaction& react(std::uint32_t i, std::uint32_t local, std::uint32_t input) {
    const std::vector<std::vector<std::uint32_t>>& table = known_by_input_[i];
    if (local < table.size() && input < table[local].size() && table[local][input] != 0) {
      return known_[table[local][input] - 1];
    }
    return react_anew(i, local, input);
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
  struct Face {  // What the search often asks about a local state.
    Phase phase;
    bool may_ask;
    Holding holding;
    std::uint64_t lowest;
  };

  const Reaction& react_anew(std::uint32_t i, std::uint32_t local, std::uint32_t input);
  void apply(Local& local, std::uint32_t input);
  Reaction reaction_of(std::uint32_t i, const Local& local);
  std::uint32_t number_of(std::uint32_t i, const Local& local);
  std::uint32_t number_of_message(std::span<const std::uint8_t> message);
  std::span<const std::uint8_t> message(std::uint32_t number) const;

  const Operations& operations_;
  std::uint32_t n_;
  bool forever_;
  bool frozen_ = false;
  std::uint32_t capacity_;
  Parts<std::uint64_t> messages_;  // By their bytes; of each, the lowest clock within.
  std::vector<Parts<Local>> locals_;
  std::vector<std::vector<Face>> faces_;  // By member and local state.
  // By member, its state and the input: one more than the place in known_; 0 if it was never seen.
  std::vector<std::vector<std::vector<std::uint32_t>>> known_by_input_;
  std::vector<Reaction> known_;
  std::vector<Sent> sends_;
  std::vector<Local> initial_;
  InstanceEffects fx_;
  std::vector<std::uint8_t> key_;
};

}  // namespace hapax
