// Events a second of the simulator, beside the same events with nothing around them.
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "base/prng.h"
#include "limit.h"
#include "mutex/ricart_agrawala.h"
#include "rows.h"
#include "sim/event_queue.h"
#include "sim/simulation.h"
#include "voting/maekawa.h"
#include "voting/voting_sets.h"

namespace hapax::bench {
namespace {

constexpr std::uint32_t kMillion = 1'000'000;

template <class Items>
void count(benchmark::State& state, Items items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(items));
}

template <class A>
void simulate(benchmark::State& state, const SimOptions& options,
              const typename OptionsOf<A>::Type& choice = {}) {
  std::uint64_t events = 0;
  for (auto _ : state) {
    // The time to make a million processes, and to forget them, is no part of it.
    state.PauseTiming();
    std::optional<Simulation<A>> simulation;
    simulation.emplace(options, FaultPlan{}, choice);
    state.ResumeTiming();
    const SimReport report = simulation->run();
    state.PauseTiming();
    simulation.reset();
    events += report.events;
    if (report.violation_count != 0) state.SkipWithError("violations: its figures mean nothing");
    state.ResumeTiming();
  }
  count(state, events);
}

void add_ricart_agrawala(const std::string& name, Goal goal, Load::Kind load,
                         const char* latency = "const:1ms", Channels channels = Channels::fifo) {
  SimOptions options;
  options.n = 1000;
  options.entries = 4000;
  options.load.kind = load;
  options.latency = Latency::parse(latency).value();
  options.channels = channels;
  add_row(name, goal, [=](benchmark::State& state) { simulate<RicartAgrawala>(state, options); });
}

void add_maekawa(const std::string& name, Goal goal, std::uint64_t entries,
                 std::shared_ptr<VotingSets> sets) {
  SimOptions options;
  options.n = kMillion;
  options.entries = entries;
  options.requesters = 64;
  options.load.kind = Load::Kind::high;
  add_row(name, goal,
          [=](benchmark::State& state) { simulate<Maekawa>(state, options, {sets.get()}); });
}

struct Tick {
  Nanos at;
  std::uint64_t a, b, c;
};

// Hold: take one, push one a random time later; the standard test of an event queue.
template <class Push, class Take>
void hold(benchmark::State& state, Push&& push, Take&& take) {
  constexpr std::uint64_t kHeld = 100'000;
  Prng prng{1};
  const auto later = [&] { return static_cast<Nanos>(500'000 + prng.below(kMillion)); };
  for (std::uint64_t i = 0; i < kHeld; ++i) push(Tick{later(), i, i, i});
  for (auto _ : state) {
    Tick tick = take();
    tick.at += later();
    push(tick);
  }
  count(state, state.iterations());
}

void hold_wheel(benchmark::State& state) {
  EventQueue<Tick> queue{kMillisecond};
  hold(
      state, [&](const Tick& t) { queue.push(t.at, t.a, t.b, t.c); },
      [&] {
        Tick t{};
        queue.take(t);
        return t;
      });
}

void hold_heap(benchmark::State& state) {
  const auto later = [](const Tick& a, const Tick& b) { return a.at > b.at; };
  std::priority_queue<Tick, std::vector<Tick>, decltype(later)> queue{later};
  hold(
      state, [&](const Tick& t) { queue.push(t); },
      [&] {
        const Tick t = queue.top();
        queue.pop();
        return t;
      });
}

// The limit `run`, which returns how many events there were.
template <class F>
void add_limit(const std::string& name, F run) {
  add_row(name, [=](benchmark::State& state) {
    std::uint64_t events = 0;
    for (auto _ : state) events += run();
    count(state, events);
  });
}

}  // namespace

void add_simulator_rows() {
  add_limit("limit: bare Ricart-Agrawala, N=1000",
            [] { return limit::ricart_agrawala(1000, 4000); });
  add_ricart_agrawala("ricart-agrawala N=1000, low load", {40e6}, Load::Kind::low);
  add_ricart_agrawala("ricart-agrawala N=1000, high load", {45e6}, Load::Kind::high);
  add_ricart_agrawala("ricart-agrawala N=1000, high, uniform latency", {20e6}, Load::Kind::high,
                      "uniform:500us:1500us", Channels::unordered);
  add_limit("limit: bare Maekawa, N=10⁶ grid", [] { return limit::maekawa(kMillion, 1000, 500); });
  add_maekawa("maekawa N=10⁶, grid, 64 requesters", {20e6}, 800,
              std::make_shared<VotingSets>(VotingSets::grid(kMillion)));
  add_maekawa("maekawa N=10⁶, cyclic, 64 requesters", {20e6}, 1200,
              std::make_shared<VotingSets>(VotingSets::cyclic(kMillion)));
  add_row("event queue: std::priority_queue, hold 100,000", hold_heap);
  add_row("event queue: wheel, hold 100,000", {0, "event queue: std::priority_queue, hold 100,000"},
          hold_wheel);
}

}  // namespace hapax::bench
