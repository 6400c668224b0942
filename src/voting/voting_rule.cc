#include "voting/voting_rule.h"

#include "voting/voting_sets.h"

namespace hapax {

const VotingRule& VotingRule::in_use(const VotingSets* chosen, const VotingRule& own) {
  return chosen != nullptr ? *chosen : own;
}

std::uint32_t GridRule::size(NodeId i, std::uint32_t n) const {
  return VotingSets::grid(n).size(i);
}
NodeId GridRule::voter(NodeId i, VoterSeat seat, std::uint32_t n) const {
  return VotingSets::grid(n).voter(i, seat);
}
std::optional<VoterSeat> GridRule::seat(NodeId i, NodeId voter, std::uint32_t n) const {
  return VotingSets::grid(n).seat(i, voter);
}

}  // namespace hapax
