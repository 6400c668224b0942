// The ring algorithm of the lectures, after Fredrickson & Lynch, "Electing a leader in a
// synchronous ring", JACM 34(1), 1987. ELECTION goes round and collects the ids of all live
// members; its starter picks the highest and sends COORDINATOR round.
//
// Needs reliable channels; their order does not matter. 2N messages among N live members, one
// starter.
//
// "Each process holds at most one election at a time": of several, a member keeps to the one with
// the highest ballot and drops the others, so one of them ends and all take its result.
//
// Always: a ballot has one leader, since one member decides it, once. That holds for members that
// keep their memory; a member that crashed and came back counts its terms from zero again.
#pragma once

#include <compare>
#include <fmt/core.h>
#include <optional>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/election_algorithm.h"
#include "core/view.h"
#include "election/down_list.h"
#include "election/ring.h"

namespace hapax {

class RingElection {
 public:
  static constexpr ElectionInfo kInfo{
      .name = "ring-election",
      .summary = "collect all ids round the ring, then announce the highest (lecture form)",
      .topology = "ring",
      .best = "2N",
      .worst = "2N"};

  // One election of one starter. A later term goes first; equal terms by id, so that all agree.
  struct Ballot {
    Term term{};
    NodeId starter{};
    HAPAX_RECORD(Ballot, term, starter)
    friend constexpr auto operator<=>(const Ballot&, const Ballot&) = default;
  };
  struct Election {
    Ballot ballot;
    std::vector<NodeId> ids;  // Who was passed, in ring order; the starter first.
    HAPAX_RECORD(Election, ballot, ids)
  };
  struct Coordinator {
    Ballot ballot;
    NodeId leader{};
    HAPAX_RECORD(Coordinator, ballot, leader)
  };
  using Message = std::variant<Election, Coordinator>;

  explicit RingElection(const View& view);

  void campaign(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  void suspect(NodeId peer, Effects<Message>& fx);
  void restore(NodeId peer, Effects<Message>& fx);
  std::optional<NodeId> leader() const { return leader_; }
  Term term() const { return ballot_.term; }
  bool is_open() const { return stage_ != Stage::idle; }

  HAPAX_RECORD(RingElection, self_, size_, ballot_, leader_, stage_, down_)

 private:
  void on_election(const Election& m, Effects<Message>& fx);
  void on_coordinator(const Coordinator& m, Effects<Message>& fx);
  void join(const Election& m, Effects<Message>& fx);
  void decide(const std::vector<NodeId>& ids, Effects<Message>& fx);
  void start(Effects<Message>& fx);
  bool is_ours(const Ballot& ballot) const;
  bool is_starter() const { return is_open() && ballot_.starter == self_.value; }
  std::optional<NodeId> next_in_ring() const { return successor(self_, size_, down_); }

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Ballot ballot_;                 // Invariant: no smaller than any it has passed on.
  std::optional<NodeId> leader_;  // Invariant: not below self, not in down_, none while electing.
  Stage stage_ = Stage::idle;     // Invariant: announcing only as the starter of ballot_.
  DownList down_;                 // Told to be down: skipped.
};

}  // namespace hapax

template <>
struct fmt::formatter<hapax::RingElection::Ballot> : fmt::formatter<std::uint64_t> {
  template <class Context>
  auto format(const hapax::RingElection::Ballot& ballot, Context& context) const {
    return fmt::format_to(context.out(), "{} of {}", ballot.term, ballot.starter);
  }
};
