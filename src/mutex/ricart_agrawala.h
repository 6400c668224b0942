// Ricart & Agrawala, "An optimal algorithm for mutual exclusion in computer networks", CACM 24(1),
// 1981. Ask everybody; a member that is inside, or waits with an earlier request, answers when it
// leaves.
//
// Needs reliable channels; their order does not matter, and duplicates do no harm: a REPLY says up
// to which clock it approves, and a late copy approves too little. 2(N-1) messages per entry.
#pragma once

#include <algorithm>
#include <variant>

#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/stamp.h"
#include "core/view.h"

namespace hapax {

class RicartAgrawala {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "ricart-agrawala",
      .id = AlgorithmId{3},
      .summary = "ask everybody; whoever asked earlier answers last (1981)",
      .kind = "permission",
      .needs = Channels::unordered,
      .turns_are_stamps = true,
      .theory = &theory};

  struct Request {
    Clock clock{};
    HAPAX_RECORD(Request, clock)
  };
  // Approves every request of the receiver up to `clock`: the sender's own later ones come after
  // it.
  struct Reply {
    Clock clock{};
    HAPAX_RECORD(Reply, clock)
  };
  using Message = std::variant<Request, Reply>;

  explicit RicartAgrawala(const View& view);

  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }

  // Lamport clocks may run ahead freely; a node lets them start at the highest it has dropped.
  Clock clock() const { return clock_; }
  void raise_clock(Clock floor) { clock_ = std::max(clock_, floor); }

  HAPAX_RECORD(RicartAgrawala, self_, size_, clock_, asked_, phase_, awaiting_, deferred_)

 private:
  void on_request(NodeId from, Clock clock, Effects<Message>& fx);
  void on_reply(NodeId from, Clock clock, Effects<Message>& fx);
  void enter_if_approved(Effects<Message>& fx);
  Stamp own() const { return {asked_, self_}; }

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Clock clock_{};  // Invariant: no smaller than any clock seen in a message.
  Clock asked_{};  // The clock of our request, while phase_ != idle.
  Phase phase_ = Phase::idle;
  NodeSet awaiting_;  // Whose reply is missing. Invariant: empty unless waiting.
  NodeSet deferred_;  // Whom to answer on leaving. Invariant: empty while idle.
};

static_assert(sizeof(RicartAgrawala) <= 64);

}  // namespace hapax
