// How messages travel: how long each takes, in which order, and which ones a fault swallows or
// doubles.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/prng.h"
#include "core/mutex_algorithm.h"
#include "sim/fault.h"
#include "sim/latency.h"

namespace hapax {

class SimNetwork {
 public:
  SimNetwork(Latency latency, Channels channels, FaultPlan faults, std::uint64_t seed)
      : latency_(std::move(latency)),
        in_order_(channels == Channels::unordered || latency_.keeps_order()),
        constant_(latency_.bounds() && latency_.bounds()->first == latency_.bounds()->second
                      ? latency_.mean()
                      : kNever),
        faults_(std::move(faults)),
        any_fault_(faults_.any()),
        prng_(seed) {}

  // (always_inline: see simulation.h.) Calls arrives(at) for every copy of a message that is sent
  // at `now` and gets through.
  template <class F>
  [[gnu::always_inline]] void send(NodeId from, NodeId to, Nanos now, F&& arrives) {
    if (any_fault_) [[unlikely]] {
      if (is_lost(from, to, now)) return;
      if (faults_.dup() > 0 && prng_.unit() < faults_.dup()) arrives(arrival(from, to, now));
    }
    arrives(arrival(from, to, now));
  }

  // The time that every message takes, where each gets through, once.
  std::optional<Nanos> constant() const {
    return constant_ == kNever || any_fault_ ? std::nullopt : std::optional{constant_};
  }

  bool any_fault() const { return any_fault_; }
  bool is_crashed(NodeId node, Nanos now) const {
    return paused_until(Fault::Kind::crash, node, now) == kNever;
  }
  // When a paused process goes on; `now` if it is not paused.
  Nanos resumes(NodeId node, Nanos now) const {
    return paused_until(Fault::Kind::pause, node, now);
  }
  const FaultPlan& faults() const { return faults_; }
  const Latency& latency() const { return latency_; }

 private:
  bool is_lost(NodeId from, NodeId to, Nanos now) {
    for (const FaultPlan::Scheduled& f : faults_.scheduled()) {
      if (f.kind == Fault::Kind::partition && f.from <= now && now < f.until &&
          f.processes.contains(from) != f.processes.contains(to)) {
        return true;
      }
    }
    return faults_.loss() > 0 && prng_.unit() < faults_.loss();
  }

  [[gnu::always_inline]] Nanos arrival(NodeId from, NodeId to, Nanos now) {
    if (constant_ != kNever) [[likely]]
      return now + constant_;
    const Nanos at = now + latency_.draw(from, to, prng_);
    if (in_order_) [[likely]]
      return at;
    // FIFO over latencies that vary: never before the message sent just before on this link.
    Nanos& last = last_arrival_[std::uint64_t{number(from)} << 32 | number(to)];
    last = std::max(last, at);
    return last;
  }

  Nanos paused_until(Fault::Kind kind, NodeId node, Nanos now) const {
    Nanos until = now;
    for (const FaultPlan::Scheduled& f : faults_.scheduled()) {
      if (f.kind == kind && f.from <= now && now < f.until && f.processes.contains(node)) {
        until = std::max(until, f.until);
      }
    }
    return until;
  }

  Latency latency_;
  bool in_order_;   // Nothing needs to be done for the order asked for.
  Nanos constant_;  // The time that every message takes; kNever if they differ.
  FaultPlan faults_;
  bool any_fault_;
  Prng prng_;
  boost::unordered_flat_map<std::uint64_t, Nanos> last_arrival_;
};

}  // namespace hapax
