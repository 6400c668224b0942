// What it costs to win every vote of one's voting set, as Maekawa's algorithm does.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "core/theory.h"
#include "voting/voting_rule.h"

namespace hapax {

// REQUIRES: the rule outlives the Theory.
Theory theory_of_voting(const VotingRule& rule, std::uint32_t n);

// Hops from the exit of `first` to the entry of `second`: over the voter that both need, 2, but 1
// if that is one of the two.
std::uint32_t hops_between(const VotingRule& rule, std::uint32_t n, NodeId first, NodeId second);
// Whether there are two members whose common voter is a third.
bool has_arbiter(const VotingRule& rule, std::uint32_t n);

}  // namespace hapax
