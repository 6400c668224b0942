#include "mutex/readers_writers.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"

namespace hapax {
namespace {

std::string_view verb_of(Mode mode) { return mode == Mode::shared ? "read" : "write"; }

}  // namespace

ReadersWriters::ReadersWriters(const View& view, const Options&, const Holding& own)
    : self_{view.self}, size_{view.size} {
  HAPAX_CHECK(own.units <= 1);
  if (own.units == 0) return;
  phase_ = Phase::inside;
  mode_ = own.mode;
}

void ReadersWriters::request(Mode mode, Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  clock_ = next(clock_);
  asked_ = clock_;
  phase_ = Phase::waiting;
  mode_ = mode;
  awaiting_ = NodeSet::all_below(size_);
  awaiting_.erase(self_);
  if (!awaiting_.empty()) {
    fx.because("{} asks everybody with {}, to {}", self_.value, own(), verb_of(mode));
    fx.send_to_others(Request{asked_, mode});
  }
  enter_if_approved(fx);
}

void ReadersWriters::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  mode_ = Mode::exclusive;
  if (!deferred_.empty()) {
    fx.because("{} leaves and answers those it kept waiting", self_.value);
    fx.multicast(deferred_, Reply{clock_});
  }
  deferred_.clear();
}

void ReadersWriters::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Request& m) { on_request(from, m, fx); },
      [&](const Reply& m) { on_reply(from, m.clock, fx); });
}

void ReadersWriters::on_request(NodeId from, const Request& request, Effects<Message>& fx) {
  if (!is_plausible(request.clock, size_)) return fx.reject(Reject::absurd_clock);
  clock_ = std::max(clock_, request.clock);
  const Stamp theirs{request.clock, from};
  if (phase_ != Phase::idle && !conflicts_with(request.mode)) {
    fx.because("{} replies to {}: both read", self_.value, from);
    fx.send(from, Reply{request.clock});
  } else if (phase_ == Phase::inside) {
    fx.because("{} defers {}: it is inside, to {}", self_.value, from, verb_of(mode_));
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
    fx.send(from, Reply{request.clock});
  }
}

void ReadersWriters::on_reply(NodeId from, Clock clock, Effects<Message>& fx) {
  if (!is_plausible(clock, size_)) return fx.reject(Reject::absurd_clock);
  clock_ = std::max(clock_, clock);
  if (phase_ != Phase::waiting || clock < asked_ || !awaiting_.erase(from)) {
    fx.because("{} ignores a reply of {}: it is late, or came twice", self_.value, from);
    return;
  }
  enter_if_approved(fx);
}

void ReadersWriters::enter_if_approved(Effects<Message>& fx) {
  if (!awaiting_.empty()) return;
  phase_ = Phase::inside;
  fx.because("{} enters to {}: everybody has replied to {}", self_.value, verb_of(mode_), own());
  fx.enter(turn_of(own(), size_));
  asked_ = Clock{};
}

// --- what it costs ---

Theory ReadersWriters::theory(const TheoryInput& in) {
  return by_asking_all(2.0 * (in.n - 1), "2(N-1)");
}

}  // namespace hapax
