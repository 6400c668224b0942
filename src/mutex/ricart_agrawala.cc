#include "mutex/ricart_agrawala.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"

namespace hapax {

RicartAgrawala::RicartAgrawala(const View& view)
    : self_{view.self},
      size_{view.size},
      phase_(view.starts_inside() ? Phase::inside : Phase::idle) {}

void RicartAgrawala::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  clock_ = next(clock_);
  asked_ = clock_;
  phase_ = Phase::waiting;
  awaiting_ = NodeSet::all_below(size_);
  awaiting_.erase(self_);
  if (!awaiting_.empty()) {
    fx.because("{} asks everybody with {}", self_.value, own());
    fx.send_to_others(Request{asked_});
  }
  enter_if_approved(fx);
}

void RicartAgrawala::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  if (!deferred_.empty()) {
    fx.because("{} leaves and answers those it kept waiting", self_.value);
    fx.multicast(deferred_, Reply{clock_});
  }
  deferred_.clear();
  asked_ = Clock{};
}

void RicartAgrawala::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Request& m) { on_request(from, m.clock, fx); },
      [&](const Reply& m) { on_reply(from, m.clock, fx); });
}

void RicartAgrawala::on_request(NodeId from, Clock clock, Effects<Message>& fx) {
  if (!is_plausible(clock, size_)) return fx.reject(Reject::absurd_clock);
  clock_ = std::max(clock_, clock);
  const Stamp theirs{clock, from};
  if (phase_ == Phase::inside) {
    fx.because("{} defers {}: it is inside", self_.value, from);
    fx.defer(from);
    deferred_.insert(from);
  } else if (phase_ == Phase::waiting && own() < theirs) {
    fx.because("{} defers {}: own {} precedes {}", self_.value, from, own(), theirs);
    fx.defer(from);
    deferred_.insert(from);
  } else {
    if (phase_ == Phase::waiting) {
      fx.because("{} replies to {}: {} precedes own {}", self_.value, from, theirs, own());
    } else {
      fx.because("{} replies to {}: it does not want to enter", self_.value, from);
    }
    fx.send(from, Reply{clock});
  }
}

void RicartAgrawala::on_reply(NodeId from, Clock clock, Effects<Message>& fx) {
  if (!is_plausible(clock, size_)) return fx.reject(Reject::absurd_clock);
  clock_ = std::max(clock_, clock);
  if (phase_ != Phase::waiting || clock < asked_ || !awaiting_.erase(from)) {
    fx.because("{} ignores a reply of {}: it is late, or came twice", self_.value, from);
    return;
  }
  enter_if_approved(fx);
}

void RicartAgrawala::enter_if_approved(Effects<Message>& fx) {
  if (!awaiting_.empty()) return;
  phase_ = Phase::inside;
  fx.because("{} enters: everybody has replied to {}", self_.value, own());
  fx.enter(turn_of(own(), size_));
}

// --- what it costs ---

Theory RicartAgrawala::theory(const TheoryInput& in) {
  return by_asking_all(2.0 * (in.n - 1), "2(N-1)");
}

}  // namespace hapax
