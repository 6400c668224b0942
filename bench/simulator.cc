// Events a second of the simulator, beside the bare limit in the same run. CPU time, median of
// `--rounds` (at least five), rounds interleaved so that a noisy neighbour hits both.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <functional>
#include <queue>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "base/prng.h"
#include "limit.h"
#include "mutex/ricart_agrawala.h"
#include "sim/event_queue.h"
#include "sim/simulation.h"
#include "voting/maekawa.h"
#include "voting/voting_sets.h"

namespace hapax {
namespace {

constexpr std::uint32_t kMillion = 1'000'000;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Lane {
  std::string name;
  double goal;  // Million events a second; 0: none.
  std::function<std::uint64_t(double& seconds)> run;
  std::vector<double> rates = {};

  double median() {
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
  }
};

template <class F>
std::uint64_t timed(double& seconds, F&& f) {
  const double begin = cpu_seconds();
  const std::uint64_t events = f();
  seconds = cpu_seconds() - begin;
  return events;
}

// The time to make a million processes is not part of it.
template <class A>
std::uint64_t simulate(const SimOptions& options, typename OptionsOf<A>::Type choice,
                       double& seconds) {
  Simulation<A> simulation{options, {}, choice};
  std::uint64_t violations = 0;
  const std::uint64_t events = timed(seconds, [&] {
    const SimReport report = simulation.run();
    violations = report.violation_count;
    return report.events;
  });
  if (violations != 0) {
    fmt::print(stderr, "violations in a benchmark: its figures mean nothing\n");
    std::exit(1);
  }
  return events;
}

SimOptions ricart_agrawala(Load::Kind load, const char* latency, Channels channels) {
  SimOptions options;
  options.n = 1000;
  options.entries = 4000;
  options.load.kind = load;
  options.latency = Latency::parse(latency).value();
  options.channels = channels;
  return options;
}

SimOptions million(std::uint64_t entries) {
  SimOptions options;
  options.n = kMillion;
  options.entries = entries;
  options.requesters = 64;
  options.load.kind = Load::Kind::high;
  return options;
}

struct Tick {
  Nanos at;
  std::uint64_t a, b, c;
};

// Hold: take one, push one a random time later; the standard test of an event queue.
template <class Push, class Take>
std::uint64_t hold(Push&& push, Take&& take) {
  constexpr std::uint64_t kHeld = 100'000;
  constexpr std::uint64_t kSteps = 4'000'000;
  Prng prng{1};
  const auto later = [&] { return static_cast<Nanos>(500'000 + prng.below(kMillion)); };
  for (std::uint64_t i = 0; i < kHeld; ++i) push(Tick{later(), i, i, i});
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    Tick tick = take();
    tick.at += later();
    push(tick);
  }
  return kSteps;
}

std::uint64_t hold_wheel(double& seconds) {
  EventQueue<Tick> queue{kMillisecond};
  return timed(seconds, [&] {
    return hold([&](const Tick& t) { queue.push(t.at, t.a, t.b, t.c); },
                [&] {
                  Tick t{};
                  queue.take(t);
                  return t;
                });
  });
}

std::uint64_t hold_heap(double& seconds) {
  const auto later = [](const Tick& a, const Tick& b) { return a.at > b.at; };
  std::priority_queue<Tick, std::vector<Tick>, decltype(later)> queue{later};
  return timed(seconds, [&] {
    return hold([&](const Tick& t) { queue.push(t); },
                [&] {
                  const Tick t = queue.top();
                  queue.pop();
                  return t;
                });
  });
}

int run(int rounds) {
  const VotingSets grid = VotingSets::grid(kMillion);
  const VotingSets cyclic = VotingSets::cyclic(kMillion);
  const auto ra = [](Load::Kind load, const char* latency, Channels channels) {
    return [=](double& s) {
      return simulate<RicartAgrawala>(ricart_agrawala(load, latency, channels), {}, s);
    };
  };
  std::vector<Lane> lanes{
      {"limit: bare Ricart-Agrawala, N=1000", 0,
       [](double& s) { return timed(s, [] { return limit::ricart_agrawala(1000, 4000); }); }},
      {"ricart-agrawala N=1000, low load", 40, ra(Load::Kind::low, "const:1ms", Channels::fifo)},
      {"ricart-agrawala N=1000, high load", 45, ra(Load::Kind::high, "const:1ms", Channels::fifo)},
      {"ricart-agrawala N=1000, high, uniform latency", 20,
       ra(Load::Kind::high, "uniform:500us:1500us", Channels::unordered)},
      {"limit: bare Maekawa, N=10⁶ grid", 0,
       [](double& s) { return timed(s, [] { return limit::maekawa(kMillion, 1000, 500); }); }},
      {"maekawa N=10⁶, grid, 64 requesters", 20,
       [&](double& s) { return simulate<Maekawa>(million(800), {&grid}, s); }},
      {"maekawa N=10⁶, cyclic, 64 requesters", 20,
       [&](double& s) { return simulate<Maekawa>(million(1200), {&cyclic}, s); }},
      {"event queue: wheel, hold 100,000", 0, hold_wheel},
      {"event queue: std::priority_queue, the same", 0, hold_heap}};
  for (int round = 0; round < rounds; ++round) {
    for (Lane& lane : lanes) {
      double seconds = 0;
      const std::uint64_t events = lane.run(seconds);
      lane.rates.push_back(static_cast<double>(events) / seconds / 1e6);
    }
    fmt::print(stderr, "\rround {} of {}", round + 1, rounds);
  }
  fmt::print(stderr, "\r\x1b[K");
  fmt::print("million events a second of CPU time, median of {} rounds (least … most)\n\n", rounds);
  for (Lane& lane : lanes) {
    const double median = lane.median();
    fmt::print("{:<48} {:7.1f}  ({:.1f} … {:.1f})", lane.name, median, lane.rates.front(),
               lane.rates.back());
    if (lane.goal > 0)
      fmt::print("  goal {}: {}", lane.goal, median >= lane.goal ? "met" : "MISSED");
    fmt::print("\n");
  }
  fmt::print("\nof the limit: ricart-agrawala {:.2f} (low), {:.2f} (high); maekawa {:.2f} (grid)\n",
             lanes[1].median() / lanes[0].median(), lanes[2].median() / lanes[0].median(),
             lanes[5].median() / lanes[4].median());
  fmt::print("wheel against binary heap: {:.1f}×\n", lanes[7].median() / lanes[8].median());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("bytes per idle process: {} of state; peak of the whole run {} MiB\n", sizeof(Maekawa),
             usage.ru_maxrss / 1024);
  return 0;
}

}  // namespace
}  // namespace hapax

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  if (rounds < 5) {
    fmt::print(stderr,
               "usage: simulator_bench [ROUNDS]   at least five, because the machine is noisy\n");
    return 2;
  }
  return hapax::run(rounds);
}
