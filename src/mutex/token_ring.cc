#include "mutex/token_ring.h"

#include "base/check.h"
#include "base/match.h"

namespace hapax {

namespace {

// A generation is worth 2^40 turns: more than its token can ever give, so the turns of a later
// generation are larger than all of an earlier one.
constexpr unsigned kTurnBits = 40;

constexpr Turn first_turn(std::uint64_t generation) { return Turn{generation << kTurnBits}; }
constexpr std::uint64_t generation_of(Turn turn) { return number(turn) >> kTurnBits; }

}  // namespace

TokenRing::TokenRing(const View& view)
    : self_{view.self},
      size_{view.size},
      phase_(view.starts_inside() ? Phase::inside : Phase::idle),
      has_token_(view.self == view.holder) {}

void TokenRing::start(Effects<Message>& fx) {
  if (!has_token_ || phase_ == Phase::inside || size_ == 1) return;
  fx.because("{} sends the token on its way", self_.value);
  pass(fx);
}

void TokenRing::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  phase_ = Phase::waiting;
  if (has_token_) {
    enter(fx);
  } else {
    fx.because("{} waits for the token to come by", self_.value);
  }
}

void TokenRing::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  if (size_ == 1) {
    fx.because("{} leaves and keeps the token: it is alone in the ring", self_.value);
    return;
  }
  fx.because("{} leaves and passes the token on to {}", self_.value, successor());
  pass(fx);
}

void TokenRing::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(message, [&](const Token& m) { on_token(from, m, fx); });
}

void TokenRing::regenerate(Effects<Message>& fx) {
  HAPAX_CHECK(!has_token_);
  ++generation_;
  has_token_ = true;
  turn_ = first_turn(generation_);
  fx.because("{} believes the token lost and makes one of generation {}", self_.value, generation_);
  use_or_pass(fx);
}

bool TokenRing::take_back(const Message& message) {
  if (generation_ != 0) return false;
  has_token_ = true;
  turn_ = std::get<Token>(message).turn;
  return true;
}

void TokenRing::on_token(NodeId from, const Token& token, Effects<Message>& fx) {
  if (from != predecessor()) {
    fx.because("{} refuses a token of {}: it comes only from {}", self_.value, from, predecessor());
    fx.reject(Reject::not_a_member);
  } else if (generation_of(token.turn) != token.generation) {
    fx.because("{} refuses a token of generation {}: its turn {} is not of that generation",
               self_.value, token.generation, token.turn);
    fx.reject(Reject::second_token);
  } else if (token.generation < generation_) {
    fx.because("{} discards a token of generation {}: it has seen generation {}", self_.value,
               token.generation, generation_);
  } else if (has_token_ && token.generation == generation_) {
    fx.because("{} refuses a second token of generation {}", self_.value, generation_);
    fx.reject(Reject::second_token);
  } else {
    if (has_token_) {
      fx.because("{} discards its token of generation {}: a newer one has come", self_.value,
                 generation_);
    }
    has_token_ = true;
    generation_ = token.generation;
    turn_ = token.turn;
    use_or_pass(fx);
  }
}

void TokenRing::use_or_pass(Effects<Message>& fx) {
  switch (phase_) {
    case Phase::idle:
      fx.because("{} passes the token on to {}: it does not want to enter", self_.value,
                 successor());
      pass(fx);
      break;
    case Phase::waiting:
      enter(fx);
      break;
    case Phase::inside:
      fx.because("{} keeps the token until it leaves", self_.value);
      break;
  }
}

void TokenRing::enter(Effects<Message>& fx) {
  phase_ = Phase::inside;
  turn_ = next(turn_);
  fx.because("{} enters: it has the token", self_.value);
  fx.enter(turn_);
}

void TokenRing::pass(Effects<Message>& fx) {
  fx.send(successor(), Token{generation_, turn_});
  has_token_ = false;
  turn_ = Turn{};
}

// --- what it costs ---

Theory TokenRing::theory(const TheoryInput& in) {
  const double n = in.n;
  return {.messages = {1, "1 at saturation"},
          .client_delay = {(n - 1) / 2, "0 … (N-1)T", false},
          .sync_delay = {n / 2, "T … (N-1)T", false},
          .sync_delay_high = {1, "T"},
          .messages_at_saturation = true};
}

}  // namespace hapax
