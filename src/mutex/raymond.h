// Raymond, "A tree-based algorithm for distributed mutual exclusion", ACM TOCS 7(1), 1989. Members
// form a tree; each knows only which neighbour the token lies behind, asks that one on behalf of
// all that asked it, and hands on the token in the order of asking.
//
// Needs reliable FIFO channels: a REQUEST must not overtake the token sent before it. 2d messages
// per entry, d being the hops to the token; the tree is a binary heap, so d is at most 2 log N.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/view.h"

namespace hapax {

class Raymond {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "raymond",
      .id = AlgorithmId{8},
      .summary = "ask along a tree whose edges point to the token (1989)",
      .kind = "token",
      .needs = Channels::fifo,
      .theory = &theory};

  struct Request {
    HAPAX_RECORD(Request)
  };
  struct Token {
    Turn turn{};  // The last turn given.
    HAPAX_RECORD(Token, turn)
  };
  using Message = std::variant<Request, Token>;

  explicit Raymond(const View& view);

  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }

  // The token counts the turns; while it is here, some may be skipped.
  Turn turn() const { return turn_; }
  void raise_turn(Turn floor) {
    if (has_token()) turn_ = std::max(turn_, floor);
  }

  HAPAX_RECORD(Raymond, self_, token_at_, phase_, asked_, turn_, queue_)

 private:
  bool has_token() const { return token_at_ == self_; }
  void on_request(NodeId from, Effects<Message>& fx);
  void on_token(NodeId from, Turn turn, Effects<Message>& fx);
  void serve_queue(Effects<Message>& fx);
  void assign_token(Effects<Message>& fx);
  void ask_for_token(Effects<Message>& fx);

  Fixed<NodeId> self_;
  NodeId token_at_;  // The neighbour the token lies behind, or self. Invariant: self while inside.
  Phase phase_ = Phase::idle;
  // Whether token_at_ was asked. Invariant: exactly if the token is elsewhere, queue_ not empty.
  bool asked_ = false;
  Turn turn_{};                // The last turn given. Invariant: Turn{} unless the token is here.
  std::vector<NodeId> queue_;  // Neighbours and self, as they asked. Invariant: each once.
};

static_assert(sizeof(Raymond) <= 64);

}  // namespace hapax
