// Lamport, "Time, clocks, and the ordering of events in a distributed system", CACM 21(7), 1978.
// Everybody keeps the same queue of requests; enter when your own is first and nobody can still
// send an earlier one.
//
// Needs reliable FIFO channels: an answer that overtakes its sender's own earlier request lets two
// in, and so does a request that is lost. 3(N-1) messages per entry.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/stamp.h"
#include "core/view.h"

namespace hapax {

class Lamport {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "lamport",
      .id = AlgorithmId{2},
      .summary = "everybody keeps the queue of all requests, ordered by clock (1978)",
      .kind = "permission",
      .needs = Channels::fifo,
      .turns_are_stamps = true,
      .theory = &theory};

  struct Request {
    Clock clock{};
    HAPAX_RECORD(Request, clock)
  };
  struct Reply {
    Clock clock{};
    HAPAX_RECORD(Reply, clock)
  };
  struct Release {
    Clock clock{};
    HAPAX_RECORD(Release, clock)
  };
  using Message = std::variant<Request, Reply, Release>;

  explicit Lamport(const View& view);

  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }
  Clock clock() const { return clock_; }
  void raise_clock(Clock floor) { clock_ = std::max(clock_, floor); }

  // Whether all holds that is relied on without a look. Always, but for what a stranger wrote.
  bool is_sound() const {
    return phase_ != Phase::waiting ||
           std::find(queue_.begin(), queue_.end(), own()) != queue_.end();
  }

  HAPAX_RECORD(Lamport, self_, size_, clock_, asked_, phase_, awaiting_, queue_)

 private:
  void on_request(Stamp theirs, Effects<Message>& fx);
  void on_release(Stamp theirs, Effects<Message>& fx);
  void hear(NodeId from, Clock clock);
  void enqueue(Stamp stamp);
  bool is_queued(NodeId node) const;
  bool dequeue(NodeId node);
  void enter_if_first(Effects<Message>& fx);
  Stamp own() const { return {asked_, self_}; }

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Clock clock_{};  // Invariant: larger than any clock seen in a message.
  Clock asked_{};  // The clock of our request, while phase_ != idle.
  Phase phase_ = Phase::idle;
  NodeSet awaiting_;          // From whom nothing later than our request has come yet.
  std::vector<Stamp> queue_;  // Everybody's open requests. Invariant: sorted, at most one each.
};

static_assert(sizeof(Lamport) <= 64);

}  // namespace hapax
