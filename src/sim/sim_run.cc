#include "sim/sim_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "sim/recorder.h"

namespace hapax {

SimRun::SimRun(SimOptions options, FaultPlan faults, bool never_rests)
    : options_(std::move(options)),
      network_(options_.latency, options_.channels, std::move(faults), options_.seed * 2 + 1),
      monitor_(options_.latency.mean()),
      never_rests_(never_rests),
      workload_(options_.seed * 2),
      requesters_(options_.requesters == 0 ? options_.n : options_.requesters) {
  HAPAX_CHECK(options_.n > 0);
  HAPAX_CHECK(requesters_ <= options_.n);
  HAPAX_CHECK(number(options_.holder) < options_.n);
}

void SimRun::begin() {
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
      if (is_barred(node) || phase_of(node) != Phase::idle) continue;
      ++asked_;
      ask(node);
    }
  }
  if (never_rests_ && options_.recorder != nullptr) options_.recorder->start(now_);
  start_all();
  if (options_.load.kind == Load::Kind::poisson) {
    schedule_arrival();
  } else if (never_rests_) {
    ask_when_quiet();
  }
}

bool SimRun::nothing_pending() const { return monitor_.quiet() && pending_asks_ == 0 && !second_; }

// Somebody waits and nobody has entered for far longer than serving everybody once would take.
bool SimRun::stuck() const {
  const Nanos once = options_.inside + 50 * network_.latency().longest();
  const auto round = static_cast<Nanos>(options_.n) + 100;
  return monitor_.waiting() > 0 && (now_ - monitor_.last_progress()) / round > once;
}

SimReport SimRun::finish(bool interrupted, bool is_idle) {
  if (!interrupted && monitor_.waiting() > 0 && monitor_.violation_count() < kMostViolations) {
    monitor_.violated(
        Violation::Kind::progress, now_,
        fmt::format("{} for ever{}",
                    monitor_.waiting() == 1 ? "1 process waits"
                                            : fmt::format("{} processes wait", monitor_.waiting()),
                    is_idle ? ": no message is under way, nobody is inside" : ""));
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

void SimRun::schedule(Nanos at, Local what, NodeId node) {
  if (what == kAsk) ++pending_asks_;
  push(at, what, node);
}

// --- workload ---

// Processes that ask are spread over all.
NodeId SimRun::requester(std::uint64_t index) const {
  return NodeId{static_cast<std::uint32_t>(index * options_.n / requesters_)};
}

bool SimRun::is_barred(NodeId node) const {
  if (network_.any_fault() && network_.is_crashed(node, now_)) return true;
  if (requesters_ == 1) return false;
  return (options_.draw == Draw::not_home && node == options_.holder) ||
         (options_.draw == Draw::not_last && node == last_);
}

// A few draws find somebody who may ask, if there is any.
std::optional<NodeId> SimRun::draw_requester() {
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
bool SimRun::ask_when_quiet() {
  if (asked_ >= options_.entries || !nothing_pending()) return false;
  if (options_.load.kind == Load::Kind::low) {
    ask_low();
    return true;
  }
  return options_.load.kind == Load::Kind::pairs && ask_pair();
}

void SimRun::ask_low() {
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
  const auto hops = never_rests_ ? static_cast<Nanos>(2 + workload_.below(options_.n)) : 0;
  schedule(now_ + hops * options_.latency.mean(), kAsk, *node);
}

// All ordered pairs in turn, so that a mean over n(n-1) pairs is exact.
bool SimRun::ask_pair() {
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
    schedule(now_ + (never_rests_ ? options_.latency.mean() : 0), kAsk, first);
    return true;
  }
  return false;
}

void SimRun::schedule_arrival() {
  if (asked_ >= options_.entries) return;
  ++asked_;
  const auto mean = static_cast<Nanos>(static_cast<double>(kSecond) / options_.load.rate);
  const Nanos gap = Latency::draw_exponential(std::max(mean, Nanos{1}), workload_);
  if (const auto node = draw_requester()) schedule(now_ + gap, kArrival, *node);
}

void SimRun::arrive(NodeId node) {
  if (phase_of(node) == Phase::idle) {
    ask(node);
  } else {
    ++backlog_[number(node)];
  }
}

void SimRun::after_leaving(NodeId node) {
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
      if (never_rests_) ask_when_quiet();
      return;
  }
}

// Draws only if some requests read and some write, so that other runs stay as they are.
bool SimRun::draw_reader() {
  if (options_.readers <= 0 || options_.readers >= 1) return options_.readers >= 1;
  constexpr std::uint64_t kFine = 1'000'000;
  return static_cast<double>(workload_.below(kFine)) < options_.readers * kFine;
}

}  // namespace hapax
