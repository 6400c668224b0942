// Garcia-Molina, "Elections in a distributed computing system", IEEE Trans. Computers C-31(1),
// 1982. Ask all that outrank you; each of them that lives says OK and takes over; one that finds
// nobody above itself tells the others that it leads.
//
// Needs reliable channels; their order does not matter. With the leader of N members down and all
// aware of it: N-2 messages if the second highest starts; N(N-2) if the lowest does and all hear of
// it before the winner speaks.
//
// Always: a member that leads has been told that every higher one is down. So no two leaders ever
// know each other to be alive, in any term.
#pragma once

#include <optional>
#include <variant>

#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/election_algorithm.h"
#include "core/view.h"
#include "election/down_list.h"

namespace hapax {

class Bully {
 public:
  static constexpr ElectionInfo kInfo{
      .name = "bully",
      .summary = "ask all that outrank you; the highest that lives takes over (1982)",
      .topology = "all-to-all",
      .best = "N-2",
      .worst = "N(N-2)"};

  // Only to members that outrank the sender.
  struct Election {
    Term term{};
    HAPAX_RECORD(Election, term)
  };
  // I am alive and take over: sit back.
  struct Ok {
    Term term{};
    HAPAX_RECORD(Ok, term)
  };
  // The sender leads. Only to members that it outranks.
  struct Coordinator {
    Term term{};
    HAPAX_RECORD(Coordinator, term)
  };
  using Message = std::variant<Election, Ok, Coordinator>;

  explicit Bully(const View& view);

  void campaign(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  void suspect(NodeId peer, Effects<Message>& fx);
  void restore(NodeId peer, Effects<Message>& fx);
  std::optional<NodeId> leader() const { return leader_; }
  Term term() const { return term_; }
  bool is_open() const { return !asked_.empty(); }

  HAPAX_RECORD(Bully, self_, size_, term_, leader_, asked_, down_)

 private:
  void on_election(NodeId from, Term term, Effects<Message>& fx);
  void on_ok(NodeId from, Effects<Message>& fx);
  void on_coordinator(NodeId from, Term term, Effects<Message>& fx);
  void hold_election(Term term, Effects<Message>& fx);
  void take_over(Effects<Message>& fx);
  NodeId highest_up() const;
  bool leads() const { return leader_ == self_.value; }

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Term term_{};                   // Invariant: no smaller than any term seen in a message.
  std::optional<NodeId> leader_;  // Invariant: not below self, not in down_, none while open.
  NodeSet asked_;  // Who outranks self, got its ELECTION, and is not down. Empty: not open.
  DownList down_;  // Told to be down. Invariant: all above self, if self leads.
};

}  // namespace hapax
