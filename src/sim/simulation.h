// One run of one mutual-exclusion algorithm in virtual time. The algorithm objects are the ones
// that the checker explores and the node runs; here a seed, latencies and a workload choose the
// next step.
#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/prng.h"
#include "base/text.h"
#include "core/effects.h"
#include "core/fence.h"
#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "core/view.h"
#include "sim/event_queue.h"
#include "sim/monitor.h"
#include "sim/network.h"
#include "sim/options.h"
#include "sim/recorder.h"
#include "sim/report.h"
#include "wire/codec.h"

namespace hapax {

struct SimProgress {
  std::uint64_t entries;
  std::uint64_t entries_wanted;
  std::uint64_t events;
};
// Called when all is set up, with no events yet, and then every so often; false stops the run.
using SimObserver = std::function<bool(const SimProgress&)>;

// A message in flight, or, with a `from` that no process has, something that happens at `to`.
template <class Message>
struct SimEvent {
  Nanos at;
  std::uint32_t from;
  std::uint32_t to;
  Message message;
};

template <MutexAlgorithm A>
class Simulation {
 public:
  using Message = typename A::Message;
  using AlgorithmOptions = typename OptionsOf<A>::Type;

  // REQUIRES: options are in range: n > 0, requesters ≤ n, holder < n.
  Simulation(SimOptions options, FaultPlan faults, const AlgorithmOptions& algorithm_options = {});

  SimReport run(const SimObserver& observer = {});

 private:
  static constexpr Epoch kEpoch{1};
  static constexpr std::uint64_t kObserveEvery = 1 << 18;
  static constexpr std::size_t kPrefetchAhead = 12;
  static constexpr std::uint64_t kPairStep = 1'000'003;

  using Event = SimEvent<Message>;
  enum Local : std::uint32_t { kAsk = 0xffff'fff0, kLeave, kArrival, kArrived, kCrash, kResume };

  // The run.
  void begin();
  bool step(const Event& event);
  bool hold_if_paused(const Event& event);
  bool resume(NodeId node);
  void local(const Event& event);
  void deliver(const Event& event);
  void record_fall(const Event& event);
  bool nothing_pending() const;
  bool stuck() const;
  SimReport finish(bool interrupted);

  // Workload.
  bool ask_when_quiet();
  void ask_low();
  bool ask_pair();
  void schedule_arrival();
  void arrive(NodeId node);
  void after_leaving(NodeId node);
  NodeId requester(std::uint64_t index) const;
  bool is_barred(NodeId node) const;
  std::optional<NodeId> draw_requester();

  // Steps of the processes.
  void ask(NodeId node);
  bool draw_reader();
  void leave(NodeId node);
  void absorb(NodeId node);
  void send(NodeId from, NodeId to, const Message& message);
  [[gnu::noinline]] void send_watched(NodeId from, NodeId to, const Message& message);
  void schedule(Nanos at, Local what, NodeId node);
  template <class F>
  void act(NodeId node, F&& f);

  SimOptions options_;
  SimNetwork network_;
  Monitor monitor_;
  EventQueue<Event> queue_;
  // Aligned, so that an algorithm of 64 bytes is one cache line.
  std::vector<A, boost::alignment::aligned_allocator<A, 64>> nodes_;
  Effects<Message> fx_;
  Prng workload_;
  std::uint32_t requesters_;
  Nanos now_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t asked_ = 0;  // Requests made, or promised to a process that is busy.
  std::uint64_t messages_ = 0;
  std::uint64_t sends_ = 0;
  std::uint64_t messages_before_ = 0;  // As the warm-up ended.
  std::uint64_t sends_before_ = 0;
  std::size_t crashes_ahead_ = 0;   // Scheduled and not yet come.
  std::uint64_t pending_asks_ = 0;  // Scheduled and not yet made.
  std::optional<NodeId> last_;      // Who was drawn last; at first, who has the token.
  std::optional<NodeId> second_;    // Load `pairs`: who asks once the first is inside.
  std::uint64_t pair_ = 0;
  boost::unordered_flat_map<std::uint32_t, std::uint64_t> backlog_;  // Arrivals at a busy process.
  boost::unordered_flat_map<std::uint32_t, std::vector<Event>> held_;  // For processes on pause.
};

template <MutexAlgorithm A>
Simulation<A>::Simulation(SimOptions options, FaultPlan faults,
                          const AlgorithmOptions& algorithm_options)
    : options_(std::move(options)),
      network_(options_.latency, options_.channels, std::move(faults), options_.seed * 2 + 1),
      monitor_(options_.latency.mean()),
      queue_(std::max(options_.latency.mean(), Nanos{1})),
      workload_(options_.seed * 2),
      requesters_(options_.requesters == 0 ? options_.n : options_.requesters) {
  HAPAX_CHECK(options_.n > 0);
  HAPAX_CHECK(requesters_ <= options_.n);
  HAPAX_CHECK(number(options_.holder) < options_.n);
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
  while (true) {
    // Quiet: nothing lies ahead but faults.
    if (queue_.size() == crashes_ahead_ && ask_when_quiet()) continue;
    if (!queue_.take(event)) break;
    if (const Event* soon = queue_.peek(kPrefetchAhead)) {
      __builtin_prefetch(&nodes_[soon->to < options_.n ? soon->to : 0]);
    }
    if (!step(event)) break;
    if (events_ % kObserveEvery == 0) [[unlikely]] {
      if (stuck()) break;
      if (observer && !observer({monitor_.entries(), options_.entries, events_})) {
        return finish(true);
      }
    }
  }
  return finish(false);
}

template <MutexAlgorithm A>
void Simulation<A>::begin() {
  if (options_.held) {
    monitor_.starts_inside(options_.holder);
    schedule(options_.inside, kLeave, options_.holder);
  }
  for (const FaultPlan::Scheduled& fault : network_.faults().scheduled()) {
    if (fault.kind != Fault::Kind::crash) continue;
    for (const NodeId node : fault.processes) schedule(fault.from, kCrash, node);
    crashes_ahead_ += fault.processes.size();
  }
  // Before the start: a token whose keeper wants to enter has no reason to leave.
  if (options_.load.kind == Load::Kind::high) {
    for (std::uint32_t i = 0; i < requesters_ && asked_ < options_.entries; ++i) {
      const NodeId node = requester(i);
      if (is_barred(node) || nodes_[number(node)].phase() != Phase::idle) continue;
      ++asked_;
      ask(node);
    }
  }
  if (A::kInfo.never_rests && options_.recorder != nullptr) options_.recorder->start(now_);
  for (std::uint32_t i = 0; i < options_.n; ++i) {
    act(NodeId{i}, [](A& a, Effects<Message>& fx) { start(a, fx); });
  }
  if (options_.load.kind == Load::Kind::poisson) {
    schedule_arrival();
  } else if (A::kInfo.never_rests) {
    ask_when_quiet();
  }
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
  const auto held = held_.find(event.to);
  if (resumes == now_ && held == held_.end()) return false;
  if (held == held_.end()) schedule(resumes, kResume, NodeId{event.to});
  held_[event.to].push_back(event);
  return true;
}

template <MutexAlgorithm A>
bool Simulation<A>::resume(NodeId node) {
  if (const Nanos resumes = network_.resumes(node, now_); resumes > now_) {
    schedule(resumes, kResume, node);  // Another pause has begun meanwhile.
    return true;
  }
  const std::vector<Event> events = std::move(held_[number(node)]);
  held_.erase(number(node));
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

// --- workload ---

// Processes that ask are spread over all.
template <MutexAlgorithm A>
NodeId Simulation<A>::requester(std::uint64_t index) const {
  return NodeId{static_cast<std::uint32_t>(index * options_.n / requesters_)};
}

template <MutexAlgorithm A>
bool Simulation<A>::is_barred(NodeId node) const {
  if (network_.any_fault() && network_.is_crashed(node, now_)) return true;
  if (requesters_ == 1) return false;
  return (options_.draw == Draw::not_home && node == options_.holder) ||
         (options_.draw == Draw::not_last && node == last_);
}

// A few draws find somebody who may ask, if there is any.
template <MutexAlgorithm A>
std::optional<NodeId> Simulation<A>::draw_requester() {
  if (!last_) last_ = options_.holder;  // As the view starts, the token is there.
  for (int attempt = 0; attempt < 100; ++attempt) {
    const NodeId node = requester(workload_.below(requesters_));
    if (is_barred(node)) continue;
    last_ = node;
    return node;
  }
  return std::nullopt;
}

// Nothing is under way any more. False if there is nothing left to ask for.
template <MutexAlgorithm A>
bool Simulation<A>::ask_when_quiet() {
  if (asked_ >= options_.entries || !nothing_pending()) return false;
  if (options_.load.kind == Load::Kind::low) {
    ask_low();
    return true;
  }
  return options_.load.kind == Load::Kind::pairs && ask_pair();
}

template <MutexAlgorithm A>
void Simulation<A>::ask_low() {
  if (asked_ == options_.warmup) {
    messages_before_ = messages_;
    sends_before_ = sends_;
  }
  const std::optional<NodeId> node = draw_requester();
  if (!node) {
    asked_ = options_.entries;  // Nobody is left to ask.
    return;
  }
  ++asked_;
  // A moving token is met at a random place: after some whole hops. Not after the first, whose
  // arrival is scheduled already and would come before a request made at the same time.
  const auto hops = A::kInfo.never_rests ? static_cast<Nanos>(2 + workload_.below(options_.n)) : 0;
  schedule(now_ + hops * options_.latency.mean(), kAsk, *node);
}

// All ordered pairs in turn, so that a mean over n(n-1) pairs is exact.
template <MutexAlgorithm A>
bool Simulation<A>::ask_pair() {
  const std::uint64_t n = requesters_;
  for (std::uint64_t tried = 0; n > 1 && tried < n * (n - 1); ++tried, ++pair_) {
    // A large prime step visits all of them, and any stretch of them is well mixed.
    const std::uint64_t at = pair_ * kPairStep % (n * (n - 1));
    const NodeId first = requester(at % n);
    const NodeId second = requester((at + 1 + at / n) % n);
    if (n > 2 && (is_barred(first) || is_barred(second))) continue;  // Of two, one is home.
    if (options_.pair_filter && !options_.pair_filter(first, second)) continue;
    ++pair_;
    asked_ += 2;
    second_ = second;
    schedule(now_ + (A::kInfo.never_rests ? options_.latency.mean() : 0), kAsk, first);
    return true;
  }
  return false;
}

template <MutexAlgorithm A>
void Simulation<A>::schedule_arrival() {
  if (asked_ >= options_.entries) return;
  ++asked_;
  const auto mean = static_cast<Nanos>(static_cast<double>(kSecond) / options_.load.rate);
  const Nanos gap = Latency::draw_exponential(std::max(mean, Nanos{1}), workload_);
  if (const auto node = draw_requester()) schedule(now_ + gap, kArrival, *node);
}

template <MutexAlgorithm A>
void Simulation<A>::arrive(NodeId node) {
  if (nodes_[number(node)].phase() == Phase::idle) {
    ask(node);
  } else {
    ++backlog_[number(node)];
  }
}

template <MutexAlgorithm A>
void Simulation<A>::after_leaving(NodeId node) {
  switch (options_.load.kind) {
    case Load::Kind::high:
      if (asked_ < options_.entries) {
        ++asked_;
        ask(node);
      }
      return;
    case Load::Kind::poisson:
      if (const auto more = backlog_.find(number(node)); more != backlog_.end()) {
        if (--more->second == 0) backlog_.erase(more);
        ask(node);
      }
      return;
    case Load::Kind::low:
    case Load::Kind::pairs:
      if (A::kInfo.never_rests) ask_when_quiet();
      return;
  }
}

// --- steps of the processes ---

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

// Draws only if some requests read and some write, so that other runs stay as they are.
template <MutexAlgorithm A>
bool Simulation<A>::draw_reader() {
  if (options_.readers <= 0 || options_.readers >= 1) return options_.readers >= 1;
  constexpr std::uint64_t kFine = 1'000'000;
  return static_cast<double>(workload_.below(kFine)) < options_.readers * kFine;
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
    fx_.for_each_receiver(s, node, options_.n, [&](NodeId to) { send(node, to, s.message); });
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

template <MutexAlgorithm A>
void Simulation<A>::send(NodeId from, NodeId to, const Message& message) {
  ++messages_;
  if (options_.self_check || options_.recorder != nullptr) [[unlikely]] {
    return send_watched(from, to, message);
  }
  network_.send(from, to, now_, [&](Nanos at) {
    queue_.push(Event{at, number(from), number(to), message});
  });
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
    queue_.push(Event{at, number(from), number(to), message});
  });
  if (options_.recorder != nullptr) options_.recorder->sent(from, to, encode(message), copies);
}

template <MutexAlgorithm A>
void Simulation<A>::schedule(Nanos at, Local what, NodeId node) {
  if (what == kAsk) ++pending_asks_;
  queue_.push(Event{at, what, number(node), Message{}});
}

// --- the end ---

template <MutexAlgorithm A>
bool Simulation<A>::nothing_pending() const {
  return monitor_.quiet() && pending_asks_ == 0 && !second_;
}

// Somebody waits and nobody has entered for far longer than serving everybody once would take.
template <MutexAlgorithm A>
bool Simulation<A>::stuck() const {
  const Nanos once = options_.inside + 50 * network_.latency().longest();
  const auto round = static_cast<Nanos>(options_.n) + 100;
  return monitor_.waiting() > 0 && (now_ - monitor_.last_progress()) / round > once;
}

template <MutexAlgorithm A>
SimReport Simulation<A>::finish(bool interrupted) {
  if (!interrupted && monitor_.waiting() > 0 && monitor_.violation_count() < kMostViolations) {
    monitor_.violated(
        Violation::Kind::progress, now_,
        fmt::format("{} for ever{}",
                    monitor_.waiting() == 1 ? "1 process waits"
                                            : fmt::format("{} processes wait", monitor_.waiting()),
                    queue_.empty() ? ": no message is under way, nobody is inside" : ""));
  }
  const bool home_never_asks = options_.draw == Draw::not_home && requesters_ > 1;
  SimReport report = monitor_.report(requesters_ - (home_never_asks ? 1 : 0));
  report.interrupted = interrupted;
  report.stopped_early = monitor_.violation_count() >= kMostViolations;
  report.events = events_;
  report.virtual_time = now_;
  report.messages = messages_ - messages_before_;
  report.sends = sends_ - sends_before_;
  report.counted_entries =
      report.entries - std::min(report.entries, options_.load.kind == Load::Kind::low
                                                    ? options_.warmup
                                                    : std::uint64_t{0});
  return report;
}

}  // namespace hapax
