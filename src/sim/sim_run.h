// A run in virtual time, whatever its algorithm: who asks when, which faults lie ahead, when it is
// over, and what is told of it. Compiled once; what is done for every message is in simulation.h.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/ids.h"
#include "base/prng.h"
#include "core/mutex_algorithm.h"
#include "sim/monitor.h"
#include "sim/network.h"
#include "sim/options.h"
#include "sim/report.h"

namespace hapax {

struct SimProgress {
  std::uint64_t entries;
  std::uint64_t entries_wanted;
  std::uint64_t events;
};
// Called when all is set up, with no events yet, and then every so often; false stops the run.
using SimObserver = std::function<bool(const SimProgress&)>;

class SimRun {
 protected:
  // `never_rests`: its token does not. REQUIRES: options are in range: n > 0, requesters ≤ n,
  // holder < n.
  SimRun(SimOptions options, FaultPlan faults, bool never_rests);
  ~SimRun() = default;

  // What happens at a process by itself.
  enum Local : std::uint32_t { kAsk = 0xffff'fff0, kLeave, kArrival, kArrived, kCrash, kResume };

  // --- of the algorithm ---

  virtual Phase phase_of(NodeId node) const = 0;
  virtual void start_all() = 0;
  virtual void ask(NodeId node) = 0;
  virtual void push(Nanos at, Local what, NodeId node) = 0;

  // --- the run ---

  void begin();
  bool nothing_pending() const;
  bool stuck() const;
  // `is_idle`: nothing lies ahead.
  SimReport finish(bool interrupted, bool is_idle);
  void schedule(Nanos at, Local what, NodeId node);

  // --- workload ---

  bool ask_when_quiet();
  void schedule_arrival();
  void arrive(NodeId node);
  void after_leaving(NodeId node);
  bool draw_reader();

  SimOptions options_;
  SimNetwork network_;
  Monitor monitor_;
  Nanos now_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t asked_ = 0;  // Requests made, or promised to a process that is busy.
  std::uint64_t messages_ = 0;
  std::uint64_t sends_ = 0;
  std::size_t crashes_ahead_ = 0;   // Scheduled and not yet come.
  std::uint64_t pending_asks_ = 0;  // Scheduled and not yet made.
  std::optional<NodeId> second_;    // Load `pairs`: who asks once the first is inside.

 private:
  static constexpr std::uint64_t kPairStep = 1'000'003;

  void ask_low();
  bool ask_pair();
  NodeId requester(std::uint64_t index) const;
  bool is_barred(NodeId node) const;
  std::optional<NodeId> draw_requester();

  bool never_rests_;
  Prng workload_;
  std::uint32_t requesters_;
  std::uint64_t messages_before_ = 0;  // As the warm-up ended.
  std::uint64_t sends_before_ = 0;
  std::optional<NodeId> last_;  // Who was drawn last; at first, who has the token.
  std::uint64_t pair_ = 0;
  boost::unordered_flat_map<std::uint32_t, std::uint64_t> backlog_;  // Arrivals at a busy process.
};

}  // namespace hapax
