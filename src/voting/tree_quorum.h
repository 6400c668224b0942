// Agrawal & El Abbadi, "An efficient and fault-tolerant solution for distributed mutual exclusion",
// ACM TOCS 9(1), 1991. The members form a tree, here the binary heap; win the votes of a path from
// its root through oneself to a leaf. In place of a member that is to be avoided its children will
// do, if a path below each of them is won. How votes are won, and no deadlock comes of it, is in
// voting_mutex.h.
//
// Any two such quorums meet. Take those of one tree: if both have its root, there. If one has and
// the other has not, the other has a quorum of each child, also of the one on the first one's path;
// if neither has, both have a quorum of each child. In both cases go on with that child's tree. At
// a leaf both have the leaf.
//
// Needs reliable FIFO channels. 3(K-1) messages an entry without conflict, up to 6(K-1) with; K is
// log2(N+1) in a full tree. The root takes part in every entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/id_set.h"
#include "base/ids.h"
#include "base/result.h"
#include "core/mutex_algorithm.h"
#include "core/theory.h"
#include "core/view.h"
#include "voting/voting_mutex.h"
#include "voting/voting_rule.h"
#include "voting/voting_sets.h"

namespace hapax {

// The path of each member; below itself it takes the shortest way to a leaf. Seats are levels.
class TreeRule final : public VotingRule {
 public:
  std::uint32_t size(NodeId i, std::uint32_t n) const override;
  NodeId voter(NodeId i, VoterSeat seat, std::uint32_t n) const override;
  std::optional<VoterSeat> seat(NodeId i, NodeId voter, std::uint32_t n) const override;
};

// The quorum of `member` of n without those that it avoids, in id order: through itself, where it
// can. Nothing if there is none.
std::optional<std::vector<NodeId>> tree_quorum(NodeId member, std::uint32_t n,
                                               const NodeSet& avoided);

// tree, or avoid:2,3 for quorums without the processes 2 and 3, counted from 1; or the sets
// themselves, one by one.
Result<VotingSets> tree_quorums_named(std::string_view text, std::uint32_t n);

class TreeQuorum : public VotingMutex {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "tree-quorum",
      .id = AlgorithmId{13},
      .summary = "win the votes of a path from the root of a tree to a leaf (1991)",
      .kind = "quorum",
      .needs = Channels::fifo,
      .voting_sets = &tree_quorums_named,
      .never_repeats = "a voter that nobody asks stays behind while the other clocks run on",
      .theory = &theory};

  explicit TreeQuorum(const View& view, const Options& options = {});
};

}  // namespace hapax
