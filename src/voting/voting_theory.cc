#include "voting/voting_theory.h"

#include <algorithm>

namespace hapax {

Theory theory_of_voting(const VotingRule& rule, std::uint32_t n) {
  // K-1 is how many others vote; all of K where a process is not in its own set.
  std::uint64_t others = 0;
  bool alike = true;
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool own = rule.contains(NodeId{i}, NodeId{i}, n);
    const std::uint32_t size = rule.size(NodeId{i}, n);
    others += size - (own ? 1 : 0);
    alike = alike && own && size == rule.size(NodeId{0}, n);
  }
  const double mean = static_cast<double>(others) / n;
  Theory theory{.messages = {3 * mean, "3(K-1)", alike},
                .client_delay = {mean > 0 ? 2.0 : 0.0, "2T"},
                .sync_delay = {1, "T: no third votes"},
                .sync_delay_high = {1, "T"}};
  if (has_arbiter(rule, n)) {
    theory.sync_delay = {2, "2T"};
    theory.sync_delay_high = {2, "T … 2T", false, true};
    theory.pairs = [&rule, n](NodeId a, NodeId b) { return hops_between(rule, n, a, b) == 2; };
  }
  return theory;
}

std::uint32_t hops_between(const VotingRule& rule, std::uint32_t n, NodeId first, NodeId second) {
  std::uint32_t most = 0;
  for (std::uint32_t s = 0; s < rule.size(first, n); ++s) {
    const NodeId voter = rule.voter(first, VoterSeat{s}, n);
    if (!rule.contains(second, voter, n)) continue;
    most = std::max(most, (voter != first ? 1u : 0u) + (voter != second ? 1u : 0u));
  }
  return most;
}

bool has_arbiter(const VotingRule& rule, std::uint32_t n) {
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      if (i != j && hops_between(rule, n, NodeId{i}, NodeId{j}) == 2) return true;
    }
  }
  return false;
}

}  // namespace hapax
