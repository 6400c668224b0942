// Suzuki & Kasami, "A distributed mutual exclusion algorithm", ACM TOCS 3(4), 1985. Whoever has the
// token may enter, as often as it likes; to get it, ask everybody; its owner sends it.
//
// Needs reliable channels; their order does not matter: requests are numbered, and the token knows
// the last one served of each member, so a late request is told from a new one. 0 or N messages per
// entry. Every request is served, but not in the order of asking.
#pragma once

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/box.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/view.h"
#include "mutex/fifo.h"

namespace hapax {

class SuzukiKasami {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "suzuki-kasami",
      .id = AlgorithmId{7},
      .summary = "ask everybody for the token; it carries the queue (1985)",
      .kind = "token",
      .needs = Channels::unordered,
      .never_repeats = "requests pile up on the way to a member that does not take part",
      .theory = &theory};

  // A number for each member, 0 for one not listed. Invariant: sorted by member, and no 0 listed.
  using Numbers = std::vector<std::pair<NodeId, std::uint64_t>>;

  // What the token knows.
  struct Privilege {
    Numbers served;      // LN: each member's last request served.
    Fifo<NodeId> queue;  // Who gets the token next. Invariant: each member once, its keeper never.
    Turn turn{};         // The last turn given.
    HAPAX_RECORD(Privilege, served, queue, turn)
  };

  struct Request {
    std::uint64_t number = 0;  // The sender's first request, its second, …
    HAPAX_RECORD(Request, number)
  };
  struct Token {
    Box<Privilege> privilege;
    HAPAX_RECORD(Token, privilege)
  };
  using Message = std::variant<Request, Token>;

  explicit SuzukiKasami(const View& view);

  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }

  // The token counts the turns; while it is here, some may be skipped. Numbers of requests may not:
  // the token tells a new one by its number.
  Turn turn() const { return token_ ? token_->turn : Turn{}; }
  void raise_turn(Turn floor) {
    if (token_) token_->turn = std::max(token_->turn, floor);
  }

  // Whether all holds that is relied on without a look. Always, but for what a stranger wrote.
  bool is_sound() const { return phase_ != Phase::inside || token_; }

  HAPAX_RECORD(SuzukiKasami, self_, size_, phase_, asked_, token_)

 private:
  void on_request(NodeId from, std::uint64_t number, Effects<Message>& fx);
  void on_token(const Box<Privilege>& token, Effects<Message>& fx);
  void queue_new_requests(Effects<Message>& fx);
  bool is_sound(const Privilege& token) const;
  void enter(Effects<Message>& fx);
  void pass(NodeId to, Effects<Message>& fx);

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Phase phase_ = Phase::idle;
  Numbers asked_;         // RN: each member's last request heard of, our own included.
  Box<Privilege> token_;  // Empty if the token is elsewhere. Invariant: there while inside.
};

static_assert(sizeof(SuzukiKasami) <= 64);

}  // namespace hapax
