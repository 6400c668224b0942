// Naimi & Tréhel, "An improvement of the log(n) distributed algorithm for mutual exclusion", ICDCS
// 1987. A request climbs from father to father to the one that will have the token last; everybody
// on the way makes the requester its father, for that will now be the last.
//
// Needs reliable channels; their order does not matter: a request in transit stands for an edge of
// the tree, and handling one never depends on what else is on its way. H(N-1) messages per entry on
// average, 0 if the token is here, N at worst. Served in the order in which requests reach a root.
#pragma once

#include <algorithm>
#include <optional>
#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/view.h"

namespace hapax {

class NaimiTrehel {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "naimi-trehel",
      .id = AlgorithmId{9},
      .summary = "ask along a tree that bends towards the last requester (1987)",
      .kind = "token",
      .needs = Channels::unordered,
      .theory = &theory};

  struct Request {
    NodeId origin{};  // Who wants to enter; the sender may only pass it on.
    HAPAX_RECORD(Request, origin)
  };
  struct Token {
    Turn turn{};  // The last turn given.
    HAPAX_RECORD(Token, turn)
  };
  using Message = std::variant<Request, Token>;

  explicit NaimiTrehel(const View& view);

  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }

  // The token counts the turns; while it is here, some may be skipped.
  Turn turn() const { return turn_; }
  void raise_turn(Turn floor) {
    if (has_token_) turn_ = std::max(turn_, floor);
  }

  HAPAX_RECORD(NaimiTrehel, self_, size_, phase_, has_token_, father_, next_, turn_)

 private:
  void on_request(NodeId origin, Effects<Message>& fx);
  void on_token(NodeId from, Turn turn, Effects<Message>& fx);
  void enter(Effects<Message>& fx);
  void pass(NodeId to, Effects<Message>& fx);

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Phase phase_ = Phase::idle;
  bool has_token_ = false;        // Invariant: set while inside, and never while waiting.
  std::optional<NodeId> father_;  // Where requests go. Empty at a root: an idle root has the token.
  std::optional<NodeId> next_;    // Who gets the token from here. Invariant: empty while idle.
  Turn turn_{};                   // The last turn given. Invariant: Turn{} unless has_token_.
};

static_assert(sizeof(NaimiTrehel) <= 64);

}  // namespace hapax
