// Carvalho & Roucairol, "On mutual exclusion in computer networks", CACM 26(2), 1983:
// Ricart-Agrawala with sticky permission. A reply, once given, stays valid until its giver wants to
// enter itself; so entering again, with nobody else interested, costs no message.
//
// Each pair of members shares one permission, which is with one of the two or under way between
// them. Needs reliable channels; their order does not matter. 0 … 2(N-1) messages per entry.
#pragma once

#include <algorithm>
#include <variant>

#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "base/slim_vector.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/stamp.h"
#include "core/view.h"

namespace hapax {

class CarvalhoRoucairol {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "carvalho-roucairol",
      .id = AlgorithmId{4},
      .summary = "Ricart-Agrawala with permission that stays until somebody asks for it (1983)",
      .kind = "permission",
      .needs = Channels::unordered,
      .permission_stays = true,
      .never_repeats = "members that ask nobody let their clocks run away from the others'",
      .theory = &theory};

  struct Request {
    Clock clock{};
    HAPAX_RECORD(Request, clock)
  };
  // Hands over the pair's permission, and with it the highest turn its sender knows of.
  struct Reply {
    Clock clock{};
    HAPAX_RECORD(Reply, clock)
  };
  using Message = std::variant<Request, Reply>;

  explicit CarvalhoRoucairol(const View& view);

  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }
  Clock clock() const { return clock_; }
  void raise_clock(Clock floor) { clock_ = std::max(clock_, floor); }

  // Somebody waits for this member to leave.
  bool is_wanted() const { return !deferred_.empty(); }

  HAPAX_RECORD(CarvalhoRoucairol, self_, size_, holder_, phase_, clock_, asked_, gained_, given_,
               deferred_)

 private:
  void on_request(NodeId from, Clock clock, Effects<Message>& fx);
  void on_reply(NodeId from, Clock clock, Effects<Message>& fx);
  void enter_if_permitted(Effects<Message>& fx);
  Stamp own() const { return {asked_, self_}; }

  // The permissions of our pairs: where they were as the view started, and where they are now.
  bool began_elsewhere(NodeId peer) const;
  bool is_missing(NodeId peer) const;
  std::uint32_t missing() const;
  bool gain(NodeId peer);  // False if it was here already.
  bool give(NodeId peer);  // False if it was not here.

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Fixed<NodeId> holder_;
  Phase phase_ = Phase::idle;
  // Orders requests and numbers turns. The turn is drawn at entry, above every clock that came with
  // a permission: the request's own stamp would not do, because members that need to ask nobody
  // enter after it and before it is granted.
  Clock clock_{};
  Clock asked_{};  // The clock of our request, while phase_ != idle.
  // Only what has moved since the view started is kept, so that a member that nobody asked costs
  // nothing. Many are gained by our own requests, but given only to the few who asked, out of maybe
  // a million, so a list is smaller than bits. Invariant: missing() == 0 while inside.
  NodeSet gained_;            // Peers whose pair's permission began elsewhere and is here.
  SlimVector<NodeId> given_;  // Peers whose pair's permission began here and is not here. Sorted.
  NodeSet deferred_;          // Whom to answer on leaving. Invariant: empty while idle.
};

static_assert(sizeof(CarvalhoRoucairol) <= 64);

}  // namespace hapax
