#include "mutex/lamport.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"

namespace hapax {

Lamport::Lamport(const View& view)
    : self_{view.self},
      size_{view.size},
      phase_(view.starts_inside() ? Phase::inside : Phase::idle) {
  // Clock 0 comes before every request that can still be made.
  if (view.held) queue_.push_back({Clock{}, view.holder});
}

void Lamport::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  clock_ = next(clock_);
  asked_ = clock_;
  phase_ = Phase::waiting;
  awaiting_ = NodeSet::all_below(size_);
  awaiting_.erase(self_);
  enqueue(own());
  fx.because("{} queues its request {} and tells everybody", self_.value, own());
  if (!awaiting_.empty()) fx.send_to_others(Request{asked_});
  enter_if_first(fx);
}

void Lamport::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  HAPAX_CHECK(dequeue(self_));
  phase_ = Phase::idle;
  asked_ = Clock{};
  clock_ = next(clock_);
  fx.because("{} leaves, takes its request off the queue and tells everybody", self_.value);
  if (size_ > 1) fx.send_to_others(Release{clock_});
}

void Lamport::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  const Clock clock = std::visit([](const auto& m) { return m.clock; }, message);
  if (!is_plausible(clock, size_)) return fx.reject(Reject::absurd_clock);
  match(
      message,
      [&](const Request&) {
        on_request({clock, from}, fx);
      },
      [&](const Reply&) { hear(from, clock); },
      [&](const Release&) {
        on_release({clock, from}, fx);
      });
  enter_if_first(fx);
}

void Lamport::on_request(Stamp theirs, Effects<Message>& fx) {
  if (is_queued(theirs.node)) return fx.reject(Reject::asked_twice);
  hear(theirs.node, theirs.clock);
  enqueue(theirs);
  fx.because("{} queues {} and replies", self_.value, theirs);
  fx.send(theirs.node, Reply{clock_});
}

void Lamport::on_release(Stamp theirs, Effects<Message>& fx) {
  if (!dequeue(theirs.node)) return fx.reject(Reject::not_granted);
  hear(theirs.node, theirs.clock);
  fx.because("{} takes the request of {} off its queue", self_.value, theirs.node);
}

// Condition L1 of the paper: a message stamped later than our request proves, on a FIFO channel,
// that no earlier request of its sender is still under way.
void Lamport::hear(NodeId from, Clock clock) {
  clock_ = next(std::max(clock_, clock));
  if (phase_ == Phase::waiting && own() < Stamp{clock, from}) awaiting_.erase(from);
}

void Lamport::enqueue(Stamp stamp) {
  queue_.insert(std::upper_bound(queue_.begin(), queue_.end(), stamp), stamp);
}

bool Lamport::is_queued(NodeId node) const {
  return std::any_of(queue_.begin(), queue_.end(), [&](const Stamp& s) { return s.node == node; });
}

bool Lamport::dequeue(NodeId node) {
  return std::erase_if(queue_, [&](const Stamp& s) { return s.node == node; }) > 0;
}

void Lamport::enter_if_first(Effects<Message>& fx) {
  if (phase_ != Phase::waiting || !awaiting_.empty() || queue_.front() != own()) return;
  phase_ = Phase::inside;
  fx.because("{} enters: {} is first in its queue and nobody can come before it", self_.value,
             own());
  fx.enter(turn_of(own(), size_));
}

// --- what it costs ---

Theory Lamport::theory(const TheoryInput& in) { return by_asking_all(3.0 * (in.n - 1), "3(N-1)"); }

}  // namespace hapax
