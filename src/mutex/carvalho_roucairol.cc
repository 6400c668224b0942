#include "mutex/carvalho_roucairol.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"

namespace hapax {

// As the view starts the holder has the permissions of all its pairs; of any other pair, the lower
// id.
CarvalhoRoucairol::CarvalhoRoucairol(const View& view)
    : self_{view.self},
      size_{view.size},
      phase_(view.starts_inside() ? Phase::inside : Phase::idle) {
  if (view.self == view.holder) return;
  missing_ = NodeSet::all_below(number(view.self));
  missing_.insert(view.holder);
}

void CarvalhoRoucairol::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  clock_ = next(clock_);
  asked_ = clock_;
  phase_ = Phase::waiting;
  if (!missing_.empty()) {
    fx.because("{} asks with {} those whose permission it lacks", self_.value, own());
    fx.multicast(missing_, Request{asked_});
  }
  enter_if_permitted(fx);
}

void CarvalhoRoucairol::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  asked_ = Clock{};
  if (!deferred_.empty()) {
    fx.because("{} leaves and hands permission to those it kept waiting", self_.value);
    fx.multicast(deferred_, Reply{clock_});
    for (const NodeId node : deferred_) missing_.insert(node);
  }
  deferred_.clear();
}

void CarvalhoRoucairol::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Request& m) { on_request(from, m.clock, fx); },
      [&](const Reply& m) { on_reply(from, m.clock, fx); });
}

void CarvalhoRoucairol::on_request(NodeId from, Clock clock, Effects<Message>& fx) {
  if (!is_plausible(clock, size_)) return fx.reject(Reject::absurd_clock);
  const Stamp theirs{clock, from};
  if (phase_ == Phase::inside || (phase_ == Phase::waiting && own() < theirs)) {
    if (phase_ == Phase::inside) {
      fx.because("{} defers {}: it is inside", self_.value, from);
    } else {
      fx.because("{} defers {}: own {} precedes {}", self_.value, from, own(), theirs);
    }
    clock_ = std::max(clock_, clock);
    deferred_.insert(from);
    return;
  }
  // Who asks lacks the permission, and it is not on its way to us: whoever handed it to us did so
  // for a request of ours that precedes its own next one. So it is here to give, unless a peer made
  // it up.
  if (!missing_.insert(from)) return fx.reject(Reject::not_granted);
  clock_ = std::max(clock_, clock);
  fx.send(from, Reply{clock_});
  if (phase_ == Phase::waiting) {
    fx.because("{} hands permission to {}, {} precedes own {}, and asks for it back", self_.value,
               from, theirs, own());
    fx.send(from, Request{asked_});
  } else {
    fx.because("{} hands permission to {}: it does not want to enter", self_.value, from);
  }
}

void CarvalhoRoucairol::on_reply(NodeId from, Clock clock, Effects<Message>& fx) {
  if (!is_plausible(clock, size_)) return fx.reject(Reject::absurd_clock);
  if (phase_ != Phase::waiting || !missing_.erase(from)) return fx.reject(Reject::not_asked);
  clock_ = std::max(clock_, clock);
  enter_if_permitted(fx);
}

void CarvalhoRoucairol::enter_if_permitted(Effects<Message>& fx) {
  if (!missing_.empty()) return;
  phase_ = Phase::inside;
  clock_ = next(clock_);
  fx.because("{} enters: the permission of every pair is here", self_.value);
  fx.enter(Turn{number(clock_)});
}

}  // namespace hapax
