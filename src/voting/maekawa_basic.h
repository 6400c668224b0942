// Maekawa's algorithm as the lectures give it: ask your voting set, enter with all its votes, give
// them back. A voter votes for one at a time and queues the others. It CAN DEADLOCK: three members
// that each hold one vote and wait for the next one's. Kept to be shown and checked; use
// `maekawa`.
//
// M. Maekawa, ACM TOCS 3(2), 1985, without its section on deadlock. Needs reliable FIFO channels.
// 3(K-1) messages per entry.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/mutex_choices.h"
#include "core/view.h"
#include "voting/constituency.h"

namespace hapax {

class MaekawaBasic {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "maekawa-basic",
      .id = AlgorithmId{5},
      .summary = "Maekawa as in the lecture: voting sets without a way out of deadlock",
      .kind = "quorum",
      .needs = Channels::fifo,
      .takes = {.voting_sets = true},
      .can_deadlock = true,
      .voting_sets = &VotingSets::named,
      .never_repeats = "voters that do not meet let their turns run away from one another",
      .theory = &theory};

  struct Request {
    HAPAX_RECORD(Request)
  };
  // The vote, with the highest turn its voter knows of.
  struct Reply {
    Turn turn{};
    HAPAX_RECORD(Reply, turn)
  };
  struct Release {
    Turn turn{};
    HAPAX_RECORD(Release, turn)
  };
  using Message = std::variant<Request, Reply, Release>;
  using Options = MutexChoices;

  explicit MaekawaBasic(const View& view, const Options& options = {});

  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }

  // Knowing of a turn that never was does no harm: the next one is still above it.
  Turn turn() const { return turn_; }
  void raise_turn(Turn floor) { turn_ = std::max(turn_, floor); }

  // Its state in words, votes by the names of who gave them.
  std::string standing() const;

  HAPAX_RECORD(MaekawaBasic, voters_, turn_, votes_, queue_, candidate_, phase_, voted_)

 private:
  void on_request(NodeId from, Effects<Message>& fx);
  void on_reply(NodeId voter, Turn turn, Effects<Message>& fx);
  void on_release(NodeId from, Turn turn, Effects<Message>& fx);
  void vote_for(NodeId node, Effects<Message>& fx);
  NodeId self() const { return voters_.value.self(); }

  Fixed<Constituency> voters_;
  Turn turn_{};                // Invariant: no smaller than any turn that came with a vote.
  VoterSeats votes_;           // Invariant: empty unless waiting.
  std::vector<NodeId> queue_;  // As voter: who waits, in order of arrival.
  NodeId candidate_{};         // As voter: who has the vote. Meaningful while voted_.
  Phase phase_ = Phase::idle;
  bool voted_ = false;
};

static_assert(sizeof(MaekawaBasic) <= 64);

}  // namespace hapax
