// The token ring (Le Lann, "Distributed systems - towards a formal approach", IFIP 1977): a token
// goes round for ever, even when nobody wants it; to enter, wait for it to come by.
//
// Needs reliable FIFO channels. 1 message per entry when everybody wants to enter, any number when
// nobody does. Served in the order of the ring.
//
// A lost token can be made again. Its generation tells it from the old one, should that turn up
// after all: a member discards a token of a generation lower than it has seen. That ends the second
// token, but not at once; until then two may be inside, and only the fence, larger with every
// generation, tells them apart. One member at a time may regenerate: two at once would make the
// same generation twice.
#pragma once

#include <algorithm>
#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/view.h"

namespace hapax {

class TokenRing {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{.name = "token-ring",
                                   .id = AlgorithmId{1},
                                   .summary = "a token goes round; enter when it comes by",
                                   .kind = "token",
                                   .needs = Channels::fifo,
                                   .never_rests = true,
                                   .token_rests = true,
                                   .counter_bits = 39,
                                   .theory = &theory};

  struct Token {
    std::uint64_t generation = 0;
    Turn turn{};  // The last turn given with it.
    HAPAX_RECORD(Token, generation, turn)
  };
  using Message = std::variant<Token>;

  explicit TokenRing(const View& view);

  // The token sets out, from its keeper if that is not inside; the others have nothing to do.
  void start(Effects<Message>& fx);
  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }

  // The token counts the turns; while it is here, some may be skipped.
  Turn turn() const { return turn_; }
  void raise_turn(Turn floor) {
    if (has_token_) turn_ = std::max(turn_, floor);
  }

  // This member believes the token lost and makes a new one, of a generation not seen before.
  // REQUIRES: !has_token().
  void regenerate(Effects<Message>& fx);
  bool has_token() const { return has_token_; }

  // The token that was to leave with `message` stays, as it was before start(). False if it is not
  // the view's first: no state to rest in is like that.
  bool take_back(const Message& message);

  HAPAX_RECORD(TokenRing, self_, size_, phase_, has_token_, generation_, turn_)

 private:
  void on_token(NodeId from, const Token& token, Effects<Message>& fx);
  void use_or_pass(Effects<Message>& fx);
  void enter(Effects<Message>& fx);
  void pass(Effects<Message>& fx);
  NodeId successor() const { return NodeId{(number(self_.value) + 1) % size_}; }
  NodeId predecessor() const { return NodeId{(number(self_.value) + size_ - 1) % size_}; }

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Phase phase_ = Phase::idle;
  // Invariant: set while inside, and never while waiting. While idle only before start(), or in a
  // ring of one, where the token has nowhere to go.
  bool has_token_ = false;
  std::uint64_t generation_ = 0;  // The highest seen. Invariant: the token's, while it is here.
  Turn turn_{};                   // The token's last turn. Invariant: Turn{} unless has_token_.
};

static_assert(sizeof(TokenRing) <= 64);

}  // namespace hapax
