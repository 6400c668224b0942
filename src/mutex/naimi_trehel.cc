#include "mutex/naimi_trehel.h"

#include "base/check.h"
#include "base/match.h"

namespace hapax {

NaimiTrehel::NaimiTrehel(const View& view)
    : self_{view.self},
      size_{view.size},
      phase_(view.starts_inside() ? Phase::inside : Phase::idle),
      has_token_(view.self == view.holder) {
  if (view.self != view.holder) father_ = view.holder;
}

void NaimiTrehel::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  phase_ = Phase::waiting;
  if (!father_) {
    HAPAX_CHECK(has_token_);
    enter(fx);
    return;
  }
  fx.because("{} asks its father {} and will be the last now", self_.value, *father_);
  fx.send(*father_, Request{self_});
  father_.reset();
}

void NaimiTrehel::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  if (!next_) {
    fx.because("{} leaves and keeps the token: nobody has asked it", self_.value);
    return;
  }
  fx.because("{} leaves and sends the token to {}: it is next", self_.value, *next_);
  pass(*next_, fx);
  next_.reset();
}

void NaimiTrehel::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Request& m) { on_request(m.origin, fx); },
      [&](const Token& m) { on_token(from, m.turn, fx); });
}

void NaimiTrehel::on_request(NodeId origin, Effects<Message>& fx) {
  if (number(origin) >= size_ || origin == self_) {
    fx.because("{} refuses a request for {}: nobody else could want it", self_.value, origin);
    fx.reject(Reject::not_a_member);
    return;
  }
  if (father_) {
    fx.because("{} passes the request of {} on to its father {}", self_.value, origin, *father_);
    fx.send(*father_, Request{origin});
  } else if (phase_ == Phase::idle) {
    fx.because("{} sends the token to {}: it does not need it", self_.value, origin);
    pass(origin, fx);
  } else {
    fx.because("{} notes {} as next: it is {} itself", self_.value, origin, name_of(phase_));
    fx.defer(origin);
    next_ = origin;
  }
  father_ = origin;
}

void NaimiTrehel::on_token(NodeId from, Turn turn, Effects<Message>& fx) {
  if (has_token_) {
    fx.because("{} refuses a token of {}: it has one", self_.value, from);
    fx.reject(Reject::second_token);
  } else if (phase_ != Phase::waiting) {
    fx.because("{} refuses a token of {}: it asks for nothing now", self_.value, from);
    fx.reject(Reject::not_asked);
  } else {
    has_token_ = true;
    turn_ = turn;
    enter(fx);
  }
}

void NaimiTrehel::enter(Effects<Message>& fx) {
  phase_ = Phase::inside;
  turn_ = next(turn_);
  fx.because("{} enters: it has the token", self_.value);
  fx.enter(turn_);
}

void NaimiTrehel::pass(NodeId to, Effects<Message>& fx) {
  fx.send(to, Token{turn_});
  has_token_ = false;
  turn_ = Turn{};
}

// --- what it costs ---

Theory NaimiTrehel::theory(const TheoryInput& in) {
  double h = 0;  // H(N-1)
  for (std::uint32_t i = in.n - 1; i >= 1; --i) h += 1.0 / i;
  return {.messages = {h, "mean H(N-1)", false},
          .client_delay = {h, "mean H(N-1)T", false},
          .sync_delay = {1, "T"},
          .sync_delay_high = {1, "T"}};
}

}  // namespace hapax
