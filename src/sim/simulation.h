// One run of one mutual-exclusion algorithm in virtual time. The algorithm objects are the ones
// that the checker explores and the node runs; here a seed, latencies and a workload choose the
// next step.
#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "core/effects.h"
#include "core/fence.h"
#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "core/view.h"
#include "sim/event_queue.h"
#include "sim/multicasts.h"
#include "sim/recorder.h"
#include "sim/sim_run.h"
#include "wire/codec.h"

namespace hapax {

// A message in flight, or, with a `from` that no process has, something that happens at `to`. A
// multicast whose messages all take the same time is one event until it arrives, for
// Multicasts::of(from, to).
template <class Message>
struct SimEvent {
  Nanos at;
  std::uint32_t from;
  std::uint32_t to;
  Message message;
};

template <MutexAlgorithm A>
class Simulation final : SimRun {
 public:
  using Message = typename A::Message;
  using AlgorithmOptions = typename OptionsOf<A>::Type;

  // REQUIRES: as SimRun.
  Simulation(SimOptions options, FaultPlan faults, const AlgorithmOptions& algorithm_options = {});

  SimReport run(const SimObserver& observer = {});

 private:
  static constexpr Epoch kEpoch{1};
  static constexpr std::uint64_t kObserveEvery = 1 << 18;
  static constexpr std::size_t kPrefetchAhead = 12;

  // always_inline: clang takes these for too large, and a message goes through all of them. A sixth
  // of the time of a run.

  using Event = SimEvent<Message>;

  // The run.
  bool go_through(const Event& event, const SimObserver& observer);
  bool go_through_all(const Event& event, const SimObserver& observer);
  bool step(const Event& event);
  bool hold_if_paused(const Event& event);
  bool resume(NodeId node);
  void local(const Event& event);
  [[gnu::always_inline]] inline void deliver(const Event& event);
  void record_fall(const Event& event);

  // Steps of the processes.
  Phase phase_of(NodeId node) const override { return nodes_[number(node)].phase(); }
  void start_all() override;
  void ask(NodeId node) override;
  void leave(NodeId node);
  void absorb(NodeId node);
  void send_all(NodeId from, const typename Effects<Message>::Send& send);
  [[gnu::always_inline]] inline void send(NodeId from, NodeId to, const Message& message);
  [[gnu::noinline]] void send_watched(NodeId from, NodeId to, const Message& message);
  void push(Nanos at, Local what, NodeId node) override {
    queue_.push(at, std::uint32_t{what}, number(node), Message{});
  }
  template <class F>
  [[gnu::always_inline]] inline void act(NodeId node, F&& f);

  EventQueue<Event> queue_;
  // Aligned, so that an algorithm of 64 bytes is one cache line.
  std::vector<A, boost::alignment::aligned_allocator<A, 64>> nodes_;
  Effects<Message> fx_;
  Multicasts multicasts_;
  bool as_one_;                           // Whether a multicast is one event.
  std::size_t to_come_ = 0;               // Receivers of the multicast that is arriving.
  bool interrupted_ = false;              // By the observer.
  std::vector<std::vector<Event>> held_;  // For processes on pause; none if there never was one.
};

template <MutexAlgorithm A>
Simulation<A>::Simulation(SimOptions options, FaultPlan faults,
                          const AlgorithmOptions& algorithm_options)
    : SimRun(std::move(options), std::move(faults), A::kInfo.never_rests),
      queue_(std::max(options_.latency.mean(), Nanos{1})),
      multicasts_(options_.n),
      as_one_(network_.constant() && !options_.self_check && options_.recorder == nullptr) {
  View view{kEpoch, options_.n, NodeId{}, options_.holder, options_.held};
  nodes_.reserve(options_.n);
  for (std::uint32_t i = 0; i < options_.n; ++i) {
    view.self = NodeId{i};
    nodes_.push_back(make<A>(view, algorithm_options));
  }
  if constexpr (SharedAlgorithm<A>) monitor_.lets_in(nodes_[0].capacity());
}

template <MutexAlgorithm A>
SimReport Simulation<A>::run(const SimObserver& observer) {
  begin();
  if (observer) observer({0, options_.entries, 0});
  Event event{};
  for (bool goes_on = true; goes_on;) {
    // Quiet: nothing lies ahead but faults.
    if (queue_.size() == crashes_ahead_ && ask_when_quiet()) continue;
    if (!queue_.take(event)) break;
    if (multicasts_.is_single(event.to)) {
      if (const Event* soon = queue_.peek(kPrefetchAhead)) {
        __builtin_prefetch(&nodes_[soon->to < options_.n ? soon->to : 0]);
      }
      goes_on = go_through(event, observer);
    } else {
      goes_on = go_through_all(event, observer);
    }
  }
  return finish(interrupted_, queue_.empty() && to_come_ == 0);
}

// False if the run is over.
template <MutexAlgorithm A>
inline bool Simulation<A>::go_through(const Event& event, const SimObserver& observer) {
  if (!step(event)) return false;
  if (events_ % kObserveEvery != 0) [[likely]]
    return true;
  if (stuck()) return false;
  interrupted_ = observer && !observer({monitor_.entries(), options_.entries, events_});
  return !interrupted_;
}

template <MutexAlgorithm A>
bool Simulation<A>::go_through_all(const Event& event, const SimObserver& observer) {
  const Multicasts::Receivers receivers = multicasts_.of(event.from, event.to);
  Event one = event;
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    if (i + kPrefetchAhead < receivers.size()) {
      __builtin_prefetch(&nodes_[number(receivers[i + kPrefetchAhead])]);
    }
    one.to = number(receivers[i]);
    to_come_ = receivers.size() - i - 1;
    if (!go_through(one, observer)) return false;
  }
  multicasts_.drop(event.to);
  return true;
}

// False when the run is over although messages are left: a token that never rests.
template <MutexAlgorithm A>
bool Simulation<A>::step(const Event& event) {
  now_ = event.at;
  ++events_;
  if (network_.any_fault()) [[unlikely]] {
    const NodeId node{event.to};
    if (event.from == kResume) return resume(node);
    if (event.from != kCrash && event.from != kArrival && network_.is_crashed(node, now_)) {
      if (event.from == kAsk) --pending_asks_;
      if (options_.recorder != nullptr) record_fall(event);
      return true;
    }
    if (event.from != kCrash && event.from != kArrival && hold_if_paused(event)) return true;
  }
  if (event.from >= kAsk) {
    local(event);
    if (A::kInfo.never_rests && asked_ >= options_.entries && nothing_pending()) return false;
  } else {
    deliver(event);
  }
  return monitor_.violation_count() < kMostViolations;
}

// What comes to a paused process waits there, in order; so does what comes at the very moment at
// which it goes on, as long as others wait before it.
template <MutexAlgorithm A>
bool Simulation<A>::hold_if_paused(const Event& event) {
  const Nanos resumes = network_.resumes(NodeId{event.to}, now_);
  const bool waits = !held_.empty() && !held_[event.to].empty();
  if (resumes == now_ && !waits) return false;
  if (!waits) schedule(resumes, kResume, NodeId{event.to});
  held_.resize(options_.n);
  held_[event.to].push_back(event);
  return true;
}

template <MutexAlgorithm A>
bool Simulation<A>::resume(NodeId node) {
  if (const Nanos resumes = network_.resumes(node, now_); resumes > now_) {
    schedule(resumes, kResume, node);  // Another pause has begun meanwhile.
    return true;
  }
  const std::vector<Event> events = std::exchange(held_[number(node)], {});
  for (Event event : events) {
    event.at = now_;
    if (!step(event)) return false;
  }
  return true;
}

template <MutexAlgorithm A>
void Simulation<A>::deliver(const Event& event) {
  if (options_.recorder != nullptr) [[unlikely]] {
    options_.recorder->receive(now_, NodeId{event.from}, NodeId{event.to}, encode(event.message));
  }
  act(NodeId{event.to},
      [&](A& a, Effects<Message>& fx) { a.receive(NodeId{event.from}, event.message, fx); });
}

// Somebody has crashed, and what came to it is lost. REQUIRES: there is a recorder.
template <MutexAlgorithm A>
void Simulation<A>::record_fall(const Event& event) {
  const NodeId node{event.to};
  options_.recorder->crash(now_, node);
  if (event.from >= kAsk) return;
  options_.recorder->receive(now_, NodeId{event.from}, node, encode(event.message));
}

template <MutexAlgorithm A>
void Simulation<A>::local(const Event& event) {
  const NodeId node{event.to};
  switch (static_cast<Local>(event.from)) {
    case kAsk:
      --pending_asks_;
      return ask(node);
    case kLeave:
      return leave(node);
    case kArrival:
      // The next one, at another process, does not wait for this one.
      schedule_arrival();
      step(Event{now_, kArrived, event.to, Message{}});
      return;
    case kArrived:
      return arrive(node);
    case kCrash:
      --crashes_ahead_;
      if (options_.recorder != nullptr) record_fall(event);
      return monitor_.crashed(node);
    case kResume:
      return;
  }
}

// --- steps of the processes ---

template <MutexAlgorithm A>
void Simulation<A>::start_all() {
  for (std::uint32_t i = 0; i < options_.n; ++i) {
    act(NodeId{i}, [](A& a, Effects<Message>& fx) { start(a, fx); });
  }
}

template <MutexAlgorithm A>
void Simulation<A>::ask(NodeId node) {
  if (nodes_[number(node)].phase() != Phase::idle) return;
  monitor_.asked(node, now_);
  if constexpr (SharedAlgorithm<A>) {
    if (A::kModes.size() > 1 && draw_reader()) {
      if (options_.recorder != nullptr) options_.recorder->request_shared(now_, node);
      return act(node, [](A& a, Effects<Message>& fx) { a.request(Mode::shared, fx); });
    }
  }
  if (options_.recorder != nullptr) [[unlikely]]
    options_.recorder->request(now_, node);
  act(node, [](A& a, Effects<Message>& fx) { a.request(fx); });
}

template <MutexAlgorithm A>
void Simulation<A>::leave(NodeId node) {
  if (nodes_[number(node)].phase() != Phase::inside) return;
  monitor_.left(node, now_);
  if (options_.recorder != nullptr) [[unlikely]]
    options_.recorder->leave(now_, node);
  act(node, [](A& a, Effects<Message>& fx) { a.release(fx); });
  after_leaving(node);
}

template <MutexAlgorithm A>
template <class F>
void Simulation<A>::act(NodeId node, F&& f) {
  A& algorithm = nodes_[number(node)];
  if (options_.self_check) [[unlikely]] {
    A twin = algorithm;
    Effects<Message> twin_fx;
    f(twin, twin_fx);
    f(algorithm, fx_);
    HAPAX_CHECK(twin == algorithm);
    HAPAX_CHECK(encode(twin) == encode(algorithm));
    HAPAX_CHECK(twin_fx.sends().size() == fx_.sends().size());
  } else {
    f(algorithm, fx_);
  }
  absorb(node);
}

template <MutexAlgorithm A>
void Simulation<A>::absorb(NodeId node) {
  for (const auto& s : fx_.sends()) {
    ++sends_;
    if (as_one_ && s.reach != Reach::one) {
      send_all(node, s);
    } else {
      fx_.for_each_receiver(s, node, options_.n, [&](NodeId to) { send(node, to, s.message); });
    }
  }
  const std::optional<Turn> turn = fx_.entered();
  if (fx_.rejected() != Reject::none) [[unlikely]] {
    monitor_.violated(
        Violation::Kind::protocol, now_,
        fmt::format("{} refused a message: {}", number(node), name_of(fx_.rejected())));
  }
  fx_.clear();
  if (turn) {
    Mode mode = Mode::exclusive;
    if constexpr (SharedAlgorithm<A>) mode = nodes_[number(node)].holding().mode;
    monitor_.entered(node, Fence{kEpoch, *turn}, now_, mode);
    schedule(now_ + options_.inside, kLeave, node);
    if (second_) ask(*std::exchange(second_, std::nullopt));
  }
}

// REQUIRES: as_one_.
template <MutexAlgorithm A>
void Simulation<A>::send_all(NodeId from, const typename Effects<Message>::Send& send) {
  const bool to_others = send.reach == Reach::others;
  const std::uint32_t receivers = to_others ? options_.n - 1 : send.count;
  if (receivers == 0) return;
  messages_ += receivers;
  const std::uint32_t to =
      to_others ? multicasts_.to_others() : multicasts_.to_listed(fx_.listed(send));
  queue_.push(now_ + *network_.constant(), number(from), to, send.message);
}

template <MutexAlgorithm A>
void Simulation<A>::send(NodeId from, NodeId to, const Message& message) {
  ++messages_;
  if (options_.self_check || options_.recorder != nullptr) [[unlikely]] {
    return send_watched(from, to, message);
  }
  network_.send(from, to, now_,
                [&](Nanos at) { queue_.push(at, number(from), number(to), message); });
}

// Kept apart, so that the usual path stays small.
template <MutexAlgorithm A>
void Simulation<A>::send_watched(NodeId from, NodeId to, const Message& message) {
  if (options_.self_check) {
    const std::optional<Message> decoded = decode<Message>(encode(message));
    HAPAX_CHECK(decoded.has_value());
    HAPAX_CHECK(*decoded == message);
  }
  std::uint32_t copies = 0;
  network_.send(from, to, now_, [&](Nanos at) {
    ++copies;
    queue_.push(at, number(from), number(to), message);
  });
  if (options_.recorder != nullptr) options_.recorder->sent(from, to, encode(message), copies);
}

}  // namespace hapax
