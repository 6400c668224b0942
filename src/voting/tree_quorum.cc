#include "voting/tree_quorum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>

#include "voting/tree.h"
#include "voting/voting_theory.h"

namespace hapax {
namespace {

constexpr TreeRule kTreeRule;

// The right one first: of a heap, its tree is never the higher of the two.
std::array<std::uint64_t, 2> children_of(NodeId node) {
  return {2 * std::uint64_t{number(node)} + 2, 2 * std::uint64_t{number(node)} + 1};
}

NodeId leaf_below(NodeId node, std::uint32_t n) {
  while (true) {
    const auto [right, left] = children_of(node);
    if (left >= n) return node;
    node = NodeId{static_cast<std::uint32_t>(right < n ? right : left)};
  }
}

class Quorum {
 public:
  Quorum(NodeId member, std::uint32_t n, const NodeSet& avoided)
      : member_(member), n_(n), avoided_(avoided) {}

  // Of the tree below `node`.
  std::optional<NodeSet> below(NodeId node) const {
    std::vector<NodeId> children;
    for (const std::uint64_t child : children_of(node)) {
      if (child < n_) children.push_back(NodeId{static_cast<std::uint32_t>(child)});
    }
    if (avoided_.contains(node)) return of_all(children);
    if (children.empty()) return NodeSet{node};
    // The way to the member itself first.
    std::stable_partition(children.begin(), children.end(),
                          [&](NodeId child) { return is_above_member(child); });
    for (const NodeId child : children) {
      if (std::optional<NodeSet> quorum = below(child)) {
        quorum->insert(node);
        return quorum;
      }
    }
    return std::nullopt;
  }

 private:
  bool is_above_member(NodeId node) const {
    const std::uint32_t depth = HeapTree::depth(node);
    const std::uint32_t own = HeapTree::depth(member_);
    return depth <= own && HeapTree::ancestor(member_, own - depth) == node;
  }
  std::optional<NodeSet> of_all(const std::vector<NodeId>& children) const {
    std::optional<NodeSet> all;
    for (const NodeId child : children) {
      const std::optional<NodeSet> quorum = below(child);
      if (!quorum) return std::nullopt;
      if (!all) all.emplace();
      for (const NodeId voter : *quorum) all->insert(voter);
    }
    return all;
  }

  NodeId member_;
  std::uint32_t n_;
  const NodeSet& avoided_;
};

// "2,3", counted from 1.
Result<NodeSet> processes_of(std::string_view text, std::uint32_t n) {
  NodeSet processes;
  while (true) {
    const std::string_view word = text.substr(0, text.find(','));
    std::uint32_t process = 0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), process);
    if (failed != std::errc{} || end != word.data() + word.size() || process < 1 || process > n) {
      return error("'{}' is no process to avoid; use numbers from 1 to {}, as in avoid:2,3", word,
                   n);
    }
    processes.insert(NodeId{process - 1});
    if (word.size() == text.size()) return processes;
    text.remove_prefix(word.size() + 1);
  }
}

}  // namespace

std::uint32_t TreeRule::size(NodeId i, std::uint32_t n) const {
  return HeapTree::depth(leaf_below(i, n)) + 1;
}

NodeId TreeRule::voter(NodeId i, VoterSeat seat, std::uint32_t n) const {
  const NodeId leaf = leaf_below(i, n);
  return HeapTree::ancestor(leaf, HeapTree::depth(leaf) - static_cast<std::uint32_t>(seat));
}

std::optional<VoterSeat> TreeRule::seat(NodeId i, NodeId voter, std::uint32_t n) const {
  const VoterSeat level{HeapTree::depth(voter)};
  if (HeapTree::depth(voter) >= size(i, n) || this->voter(i, level, n) != voter) {
    return std::nullopt;
  }
  return level;
}

std::optional<std::vector<NodeId>> tree_quorum(NodeId member, std::uint32_t n,
                                               const NodeSet& avoided) {
  const std::optional<NodeSet> quorum = Quorum{member, n, avoided}.below(NodeId{0});
  if (!quorum) return std::nullopt;
  return std::vector<NodeId>(quorum->begin(), quorum->end());
}

Result<VotingSets> tree_quorums_named(std::string_view text, std::uint32_t n) {
  constexpr std::string_view kAvoid = "avoid:";
  NodeSet avoided;
  if (text.starts_with(kAvoid)) {
    const auto processes = processes_of(text.substr(kAvoid.size()), n);
    if (!processes) return processes.error();
    avoided = *processes;
  } else if (text.find(';') != std::string_view::npos) {
    return VotingSets::named(text, n);
  } else if (text != "tree") {
    return error("there are no tree quorums '{}'; use tree, or avoid:2,3", text);
  }
  std::vector<std::vector<NodeId>> sets;
  for (std::uint32_t i = 0; i < n; ++i) {
    auto quorum = tree_quorum(NodeId{i}, n, avoided);
    if (!quorum) return error("of {} processes there is no quorum that does {}", n, text);
    sets.push_back(std::move(*quorum));
  }
  return VotingSets::listed(std::move(sets));
}

TreeQuorum::TreeQuorum(const View& view, const Options& options)
    : VotingMutex(view, options, kTreeRule) {}

Theory TreeQuorum::theory(const TheoryInput& input) {
  const VotingSets* chosen = input.choices.voting_sets;
  Theory theory = theory_of_voting(VotingRule::in_use(chosen, kTreeRule), input.n);
  const bool full = std::has_single_bit(input.n + 1);
  if (chosen == nullptr && full) theory.messages.formula = "3(log2(N+1)-1)";
  return theory;
}

}  // namespace hapax
