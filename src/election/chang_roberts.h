// Chang & Roberts, "An improved algorithm for decentralized extrema-finding in circular
// configurations of processes", CACM 22(5), 1979. Only the highest id seen so far goes on round the
// ring; the one that gets its own id back has won and sends COORDINATOR round.
//
// Needs reliable channels; their order does not matter. Among N live members: 2N + d messages for
// one starter, d being the hops from it to the highest (so 2N … 3N-1); if all start at once,
// N(N+1)/2 + N when ids descend along the ring, 3N-1 when they ascend.
//
// All that start in one term take part in one election.
#pragma once

#include <optional>
#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/election_algorithm.h"
#include "core/view.h"
#include "election/down_list.h"
#include "election/ring.h"

namespace hapax {

class ChangRoberts {
 public:
  static constexpr ElectionInfo kInfo{
      .name = "chang-roberts",
      .summary = "only the highest id survives its way round the ring (1979)",
      .topology = "ring",
      .best = "2N",
      .worst = "3N-1 for one starter; N(N+1)/2+N if all start"};

  struct Options {
    Direction direction = Direction::ascending;  // Descending is the worst order when all start.
  };

  struct Election {
    Term term{};
    NodeId candidate{};
    HAPAX_RECORD(Election, term, candidate)
  };
  struct Coordinator {
    Term term{};
    NodeId leader{};
    HAPAX_RECORD(Coordinator, term, leader)
  };
  using Message = std::variant<Election, Coordinator>;

  explicit ChangRoberts(const View& view) : ChangRoberts(view, Options{}) {}
  ChangRoberts(const View& view, const Options& options);

  void campaign(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  void suspect(NodeId peer, Effects<Message>& fx);
  void restore(NodeId peer, Effects<Message>& fx);
  std::optional<NodeId> leader() const { return leader_; }
  Term term() const { return term_; }
  bool is_open() const { return stage_ != Stage::idle; }

  HAPAX_RECORD(ChangRoberts, self_, size_, direction_, term_, leader_, stage_, stood_, down_)

 private:
  void on_election(const Election& m, Effects<Message>& fx);
  void on_coordinator(const Coordinator& m, Effects<Message>& fx);
  void weigh(const Election& m, Effects<Message>& fx);
  void start(Effects<Message>& fx);
  void stand(Effects<Message>& fx);
  void win(Effects<Message>& fx);
  std::optional<NodeId> next_in_ring() const { return successor(self_, size_, down_, direction_); }

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Fixed<Direction> direction_;
  Term term_{};                   // Invariant: no smaller than any term seen in a message.
  std::optional<NodeId> leader_;  // Invariant: not below self, not in down_, none while electing.
  Stage stage_ = Stage::idle;     // Invariant: announcing only if leader_ == self.
  bool stood_ = false;            // Its own id went out in term_. Invariant: false while idle.
  DownList down_;                 // Told to be down: skipped.
};

}  // namespace hapax
