// A central coordinator, as in every textbook: ask it, enter when it grants, tell it on leaving.
// The coordinator is the lock's home, view.holder; so locks of different names have different ones.
//
// Needs reliable FIFO channels: a REQUEST must not overtake the RELEASE before it. 3 messages per
// entry, none for the coordinator itself. Served in the order of arrival at the coordinator.
#pragma once

#include <algorithm>
#include <variant>

#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/mutex_choices.h"
#include "core/view.h"
#include "mutex/fifo.h"

namespace hapax {

class Central {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{.name = "central",
                                   .id = AlgorithmId{0},
                                   .summary = "ask the coordinator; it keeps the queue",
                                   .kind = "permission",
                                   .needs = Channels::fifo,
                                   .takes = {.say_denied = true},
                                   .theory = &theory};

  // say_denied: one more message for each who has to queue.
  using Options = MutexChoices;

  struct Request {
    HAPAX_RECORD(Request)
  };
  struct Grant {
    Turn turn{};
    HAPAX_RECORD(Grant, turn)
  };
  struct Release {
    HAPAX_RECORD(Release)
  };
  // Not now: the sender of the request is in the queue. Sent only with MutexChoices::say_denied.
  struct Denied {
    HAPAX_RECORD(Denied)
  };
  using Message = std::variant<Request, Grant, Release, Denied>;

  explicit Central(const View& view) : Central(view, Options{}) {}
  Central(const View& view, const Options& options);

  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }

  // Only the coordinator counts turns; it may leave some out.
  Turn turn() const { return turn_; }
  void raise_turn(Turn floor) {
    if (coordinates()) turn_ = std::max(turn_, floor);
  }

  HAPAX_RECORD(Central, self_, home_, say_denied_, phase_, turn_, queue_, queued_)

 private:
  bool coordinates() const { return self_ == home_; }
  void on_request(NodeId from, Effects<Message>& fx);
  void on_grant(NodeId from, Turn turn, Effects<Message>& fx);
  void on_release(NodeId from, Effects<Message>& fx);
  void on_denied(NodeId from, Effects<Message>& fx);
  void enqueue(NodeId node, Effects<Message>& fx);
  void dequeue(Effects<Message>& fx);
  void admit_first(Effects<Message>& fx);

  Fixed<NodeId> self_;
  Fixed<NodeId> home_;  // Who coordinates.
  Fixed<bool> say_denied_;
  Phase phase_ = Phase::idle;
  // What the coordinator keeps. Invariant: at every other member as made by default.
  Turn turn_{};         // The last turn given.
  Fifo<NodeId> queue_;  // In the order of arrival. Invariant: the front has been let in.
  NodeSet queued_;      // Invariant: the members of queue_.
};

static_assert(sizeof(Central) <= 64);

}  // namespace hapax
