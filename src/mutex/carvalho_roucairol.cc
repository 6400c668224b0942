#include "mutex/carvalho_roucairol.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"

namespace hapax {

CarvalhoRoucairol::CarvalhoRoucairol(const View& view)
    : self_{view.self},
      size_{view.size},
      holder_{view.holder},
      phase_(view.starts_inside() ? Phase::inside : Phase::idle) {}

// As the view starts, the holder has the permissions of all its pairs; of any other pair, the lower
// id has it.
bool CarvalhoRoucairol::began_elsewhere(NodeId peer) const {
  return self_.value != holder_.value && (peer == holder_.value || peer < self_.value);
}

bool CarvalhoRoucairol::is_missing(NodeId peer) const {
  if (began_elsewhere(peer)) return !gained_.contains(peer);
  return std::binary_search(given_.begin(), given_.end(), peer);
}

std::uint32_t CarvalhoRoucairol::missing() const {
  std::uint32_t began = 0;  // How many began elsewhere.
  if (self_.value != holder_.value) {
    began = number(self_.value) + (self_.value < holder_.value ? 1 : 0);
  }
  return began - gained_.size() + static_cast<std::uint32_t>(given_.size());
}

bool CarvalhoRoucairol::gain(NodeId peer) {
  if (began_elsewhere(peer)) return gained_.insert(peer);
  const auto at = std::lower_bound(given_.begin(), given_.end(), peer);
  if (at == given_.end() || *at != peer) return false;
  given_.erase(at);
  return true;
}

bool CarvalhoRoucairol::give(NodeId peer) {
  if (began_elsewhere(peer)) return gained_.erase(peer);
  const auto at = std::lower_bound(given_.begin(), given_.end(), peer);
  if (at != given_.end() && *at == peer) return false;
  given_.insert(at, peer);
  return true;
}

void CarvalhoRoucairol::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  clock_ = next(clock_);
  asked_ = clock_;
  phase_ = Phase::waiting;
  if (missing() > 0) {
    fx.because("{} asks with {} those whose permission it lacks", self_.value, own());
    NodeSet asked;
    for (std::uint32_t i = 0; i < size_.value; ++i) {
      if (is_missing(NodeId{i})) asked.insert(NodeId{i});
    }
    fx.multicast(asked, Request{asked_});
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
    for (const NodeId node : deferred_) give(node);
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
    fx.defer(from);
    deferred_.insert(from);
    return;
  }
  // A member that asks lacks the permission, and it is not on its way to us: a peer hands it to us
  // for a request of ours that precedes its own next one. So it is here to give, unless the peer
  // made its request up.
  if (!give(from)) return fx.reject(Reject::not_granted);
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
  if (phase_ != Phase::waiting || !gain(from)) return fx.reject(Reject::not_asked);
  clock_ = std::max(clock_, clock);
  enter_if_permitted(fx);
}

void CarvalhoRoucairol::enter_if_permitted(Effects<Message>& fx) {
  if (missing() > 0) return;
  phase_ = Phase::inside;
  clock_ = next(clock_);
  fx.because("{} enters: the permission of every pair is here", self_.value);
  fx.enter(Turn{number(clock_)});
}

// --- what it costs ---

// Of each pair the permission is with whoever of the two asked last: half of them are missing, on
// average, and none only for the one who was inside last.
Theory CarvalhoRoucairol::theory(const TheoryInput& in) {
  const double n = in.n;
  return {.messages = {n - 1, "0 … 2(N-1), mean N-1", false},
          .client_delay = {2 * (1 - 1 / n), "0 or 2T, mean 2T(1-1/N)", false},
          .sync_delay = {1, "T"},
          .sync_delay_high = {1, "T"}};
}

}  // namespace hapax
