// Who votes for whom, as a rule: V_i is whom process i of n must win over. A rule is computed and
// not stored, so that a million members cost nothing; every two of its sets meet.
#pragma once

#include <cstdint>
#include <optional>

#include "base/id_set.h"
#include "base/ids.h"

namespace hapax {

enum class VoterSeat : std::uint32_t {};  // The place of a voter in one voting set: 0 … K-1.
using VoterSeats = IdSet<VoterSeat>;

class VotingSets;

class VotingRule {
 public:
  virtual std::uint32_t size(NodeId i, std::uint32_t n) const = 0;            // K_i
  virtual NodeId voter(NodeId i, VoterSeat seat, std::uint32_t n) const = 0;  // Below its size.
  virtual std::optional<VoterSeat> seat(NodeId i, NodeId voter, std::uint32_t n) const = 0;

  bool contains(NodeId i, NodeId voter, std::uint32_t n) const {
    return seat(i, voter, n).has_value();
  }

  // The sets that were chosen, if any were; else the algorithm's own.
  static const VotingRule& in_use(const VotingSets* chosen, const VotingRule& own);

 protected:
  VotingRule() = default;
  VotingRule(const VotingRule&) = default;
  VotingRule& operator=(const VotingRule&) = default;
  ~VotingRule() = default;
};

// Maekawa's grid: VotingSets::grid(n).
class GridRule final : public VotingRule {
 public:
  std::uint32_t size(NodeId i, std::uint32_t n) const override;
  NodeId voter(NodeId i, VoterSeat seat, std::uint32_t n) const override;
  std::optional<VoterSeat> seat(NodeId i, NodeId voter, std::uint32_t n) const override;
};
inline constexpr GridRule kGridRule;

}  // namespace hapax
