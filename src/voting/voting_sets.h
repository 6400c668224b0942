// Voting sets for Maekawa's algorithm: V_i are the voters that process i must win. They are
// computed, not stored, where there is a rule; and proved on construction:
//
//   M1  every two sets meet          without it two processes may be inside at once: refused
//   M2  each process is in its own   saves messages
//   M3  all sets have equal size     equal effort
//   M4  all processes are in equally many sets   equal load
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "voting/voting_rule.h"

namespace hapax {

class VotingSets final : public VotingRule {
 public:
  // What was proved. M1 always is.
  struct Proof {
    bool own_member;             // M2
    bool equal_size;             // M3
    bool equal_load;             // M4
    std::uint32_t smallest = 0;  // sizes of sets
    std::uint32_t largest = 0;
  };

  // √N × √N, row and column, for any N: a last row that is not full still meets every column.
  static VotingSets grid(std::uint32_t n);
  // The n shifts of a difference cover, for any N: K from √N up to about 1.23 √N for large N.
  static VotingSets cyclic(std::uint32_t n);
  // The lines of a projective plane: K² - K + 1 = N, the smallest possible. N = q²+q+1, q a prime
  // power.
  static Result<VotingSets> plane(std::uint32_t n);
  // The lecture's own sets, for N = 3, 4 and 7.
  static Result<VotingSets> lecture(std::uint32_t n);
  // One set per line, "1: 1 2 3" with processes counted from 1 as on the blackboard; # starts a
  // comment.
  static Result<VotingSets> parse(std::string_view text);
  static Result<VotingSets> listed(std::vector<std::vector<NodeId>> sets);
  // Grid or cyclic, whichever has the smaller sets.
  static VotingSets smallest(std::uint32_t n);
  // grid | cyclic | smallest | plane | lecture, or the sets themselves: 1:1,2;2:2,3;3:1,3
  static Result<VotingSets> named(std::string_view text, std::uint32_t n);

  std::uint32_t processes() const { return n_; }
  std::uint32_t size(NodeId i) const;                           // K_i
  NodeId voter(NodeId i, VoterSeat seat) const;                 // REQUIRES: seat < size(i).
  std::optional<VoterSeat> seat(NodeId i, NodeId voter) const;  // Nothing if it is not in V_i.
  bool contains(NodeId i, NodeId voter) const { return seat(i, voter).has_value(); }
  // As a rule, for n_ processes and no other number.
  std::uint32_t size(NodeId i, std::uint32_t) const override { return size(i); }
  NodeId voter(NodeId i, VoterSeat seat, std::uint32_t) const override { return voter(i, seat); }
  std::optional<VoterSeat> seat(NodeId i, NodeId voter, std::uint32_t) const override {
    return seat(i, voter);
  }
  const Proof& proof() const { return proof_; }
  std::string describe() const;  // "grid, K = 4 … 6; proved: M1 M2; not: M3 M4"

 private:
  struct Grid {
    std::uint32_t columns;
  };
  struct Cyclic {
    std::string_view name;
    std::vector<std::uint32_t> cover;  // Sorted.
  };
  struct Listed {
    std::vector<std::vector<NodeId>> sets;  // Each sorted.
  };
  using Rule = std::variant<Grid, Cyclic, Listed>;

  VotingSets(std::uint32_t n, Rule rule);
  Proof prove_rest() const;

  std::uint32_t row_length(const Grid& grid, std::uint32_t row) const;

  std::uint32_t n_;
  Rule rule_;
  Proof proof_;
};

}  // namespace hapax
