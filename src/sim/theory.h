// What the lectures and papers say an algorithm costs, in the units of the simulator: messages, and
// message delays T. One requester at a time unless said otherwise; messages to oneself are free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "sim/workload.h"
#include "voting/voting_sets.h"

namespace hapax {

struct Expected {
  double value = 0;
  std::string formula;
  bool exact = true;      // Otherwise a mean over what is drawn.
  bool is_range = false;  // Only bounds are known, and `value` is the upper one.
};

struct Theory {
  Expected messages;
  Expected client_delay;     // In T.
  Expected sync_delay;       // In T, between two members, the second of which has waited.
  Expected sync_delay_high;  // In T, under high load: throughput is 1/(this + E).
  bool in_request_order = false;
  Draw draw = Draw::uniform;            // How requesters must be drawn for these figures.
  bool messages_at_saturation = false;  // Counted under high load, not one at a time.
  bool may_deadlock = false;
};

// REQUIRES: the algorithm is in the catalog; `sets` are the voting sets that it uses, of n
// processes.
Theory theory_of(std::string_view algorithm, std::uint32_t n, const VotingSets& sets);

// The same when anybody may ask, even the coordinator or the one that already has the token, at no
// cost.
Theory theory_with_uniform_draw(std::string_view algorithm, std::uint32_t n,
                                const VotingSets& sets);

// Hops from the exit of `first` to the entry of `second` under Maekawa: over the voter that both
// need, 2, but 1 if that is one of the two.
std::uint32_t hops_between(const VotingSets& sets, NodeId first, NodeId second);
// Whether there are two members whose common voter is a third.
bool has_arbiter(const VotingSets& sets);

}  // namespace hapax
