#include "mutex/central.h"

#include "base/check.h"
#include "base/match.h"

namespace hapax {

Central::Central(const View& view, const Options& options)
    : self_{view.self}, home_{view.holder}, say_denied_{options.say_denied} {
  if (!view.starts_inside()) return;
  phase_ = Phase::inside;
  queue_.push(self_);
  queued_.insert(self_);
}

void Central::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  phase_ = Phase::waiting;
  if (coordinates()) {
    enqueue(self_, fx);
  } else {
    fx.because("{} asks the coordinator {}", self_.value, home_.value);
    fx.send(home_, Request{});
  }
}

void Central::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  if (coordinates()) {
    dequeue(fx);
  } else {
    fx.because("{} leaves and tells the coordinator {}", self_.value, home_.value);
    fx.send(home_, Release{});
  }
}

void Central::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Request&) { on_request(from, fx); },
      [&](const Grant& m) { on_grant(from, m.turn, fx); },
      [&](const Release&) { on_release(from, fx); }, [&](const Denied&) { on_denied(from, fx); });
}

void Central::on_request(NodeId from, Effects<Message>& fx) {
  if (!coordinates()) {
    fx.because("{} refuses a request of {}: the coordinator is {}", self_.value, from, home_.value);
    fx.reject(Reject::not_a_member);
  } else if (queued_.contains(from)) {
    fx.because("{} refuses a request of {}: it has asked and not left since", self_.value, from);
    fx.reject(Reject::asked_twice);
  } else {
    enqueue(from, fx);
  }
}

void Central::on_grant(NodeId from, Turn turn, Effects<Message>& fx) {
  if (from != home_) {
    fx.because("{} refuses a grant of {}: the coordinator is {}", self_.value, from, home_.value);
    fx.reject(Reject::not_a_member);
  } else if (phase_ != Phase::waiting) {
    fx.because("{} refuses a grant: it asks for nothing now", self_.value);
    fx.reject(Reject::not_asked);
  } else {
    phase_ = Phase::inside;
    fx.because("{} enters: the coordinator has granted turn {}", self_.value, turn);
    fx.enter(turn);
  }
}

void Central::on_release(NodeId from, Effects<Message>& fx) {
  if (!coordinates() || queue_.empty() || queue_.front() != from) {
    fx.because("{} refuses a release of {}: it was not let in from here", self_.value, from);
    fx.reject(Reject::not_granted);
  } else {
    dequeue(fx);
  }
}

void Central::on_denied(NodeId from, Effects<Message>& fx) {
  if (from != home_) {
    fx.because("{} refuses a denial of {}: the coordinator is {}", self_.value, from, home_.value);
    fx.reject(Reject::not_a_member);
  } else if (phase_ != Phase::waiting || !say_denied_) {
    fx.because("{} refuses a denial: it asks for nothing now", self_.value);
    fx.reject(Reject::not_asked);
  } else {
    fx.because("{} waits on: somebody is inside, and the coordinator has queued it", self_.value);
  }
}

void Central::enqueue(NodeId node, Effects<Message>& fx) {
  queue_.push(node);
  queued_.insert(node);
  if (queue_.size() == 1) {
    admit_first(fx);
    return;
  }
  fx.because("{} queues {} in place {}: {} is inside", self_.value, node, queue_.size() - 1,
             queue_.front());
  fx.defer(node);
  if (say_denied_ && node != self_) fx.send(node, Denied{});
}

void Central::dequeue(Effects<Message>& fx) {
  const NodeId left = queue_.pop();
  queued_.erase(left);
  fx.because("{} strikes {} off: it has left", self_.value, left);
  if (!queue_.empty()) admit_first(fx);
}

void Central::admit_first(Effects<Message>& fx) {
  turn_ = next(turn_);
  const NodeId first = queue_.front();
  if (first == self_) {
    phase_ = Phase::inside;
    fx.because("{} enters with turn {}: it coordinates and is first in the queue", self_.value,
               turn_);
    fx.enter(turn_);
  } else {
    fx.because("{} grants turn {} to {}: it is first in the queue", self_.value, turn_, first);
    fx.send(first, Grant{turn_});
  }
}

// --- what it costs ---

Theory Central::theory(const TheoryInput& in) {
  return {.messages = {3, "3"},
          .client_delay = {2, "2T"},
          .sync_delay = in.n > 2 ? Expected{2, "2T"} : Expected{1, "T: one of two coordinates"},
          .sync_delay_high = {2, "2T"},
          .in_request_order = true,
          .draw = Draw::not_home};
}

}  // namespace hapax
