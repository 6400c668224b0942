#include "compare/compare.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "catalog/catalog.h"
#include "sim/run.h"

namespace hapax {
namespace {

// Enough draws for a mean within two per cent; for a table of large N the options have a limit,
// too.
constexpr std::uint64_t kMostEntries = 40'000;

class Bench {
 public:
  // `tell` is called with how much of four runs is done, 0 … 1.
  Bench(const CompareOptions& options, const MutexChoices& choices, std::string_view algorithm,
        const Theory& theory, std::function<void(double done)> tell)
      : options_(options),
        choices_(choices),
        algorithm_(algorithm),
        theory_(theory),
        tell_(std::move(tell)) {}

  SimReport low() {
    SimOptions run = base();
    run.load = {Load::Kind::low};
    // Pointers and permissions that the start has put in one place need some rounds to mix.
    run.warmup = std::min<std::uint64_t>(10 * options_.n, run.entries / 2);
    return go(run);
  }
  SimReport pairs() {
    SimOptions run = base();
    run.load = {Load::Kind::pairs};
    const std::uint64_t all = 2 * std::uint64_t{options_.n} * (options_.n - 1);
    run.entries = std::min(all, run.entries);
    // Long enough inside for any request to have arrived everywhere before the exit.
    run.inside = std::max(options_.inside, (options_.n + 20) * options_.latency);
    run.pair_filter = theory_.pairs;
    return go(run);
  }
  SimReport high() {
    SimOptions run = base();
    run.load = {Load::Kind::high};
    const std::uint64_t rounds = std::max<std::uint64_t>(run.entries / options_.n / 4, 10);
    const std::uint64_t askers = theory_.draw == Draw::not_home ? options_.n - 1 : options_.n;
    run.entries = rounds * std::max<std::uint64_t>(askers, 1);  // Whole rounds: equal shares.
    return go(run);
  }
  SimReport order() {
    SimOptions run = base();
    const double busy = static_cast<double>(options_.inside) +
                        theory_.sync_delay_high.value * static_cast<double>(options_.latency);
    run.load = {Load::Kind::poisson, 0.9 * static_cast<double>(kSecond) / busy};
    if (run.draw == Draw::not_last) run.draw = Draw::uniform;
    run.entries = std::min<std::uint64_t>(run.entries, 5000);
    return go(run);
  }

 private:
  SimOptions base() const {
    SimOptions run;
    run.n = options_.n;
    run.latency = Latency::constant(options_.latency);
    run.inside = options_.inside;
    run.draw = theory_.draw;
    run.seed = options_.seed;
    const double messages = std::max(theory_.messages.value, static_cast<double>(options_.n) / 4);
    const auto affordable = static_cast<std::uint64_t>(static_cast<double>(options_.most_messages) /
                                                       std::max(messages, 1.0));
    run.entries = std::clamp<std::uint64_t>(affordable, 200, kMostEntries);
    return run;
  }
  SimReport go(const SimOptions& run) {
    const auto tell = [&](const SimProgress& p) {
      const auto part = static_cast<double>(p.entries) / static_cast<double>(p.entries_wanted);
      tell_((runs_ + part) / 4);
      return true;
    };
    Result<SimReport> report = simulate(algorithm_, run, choices_, tell);
    HAPAX_CHECK(report.has_value());
    ++runs_;
    return std::move(*report);
  }

  const CompareOptions& options_;
  const MutexChoices& choices_;
  std::string_view algorithm_;
  const Theory& theory_;
  std::function<void(double done)> tell_;
  int runs_ = 0;
};

}  // namespace

double ComparisonRow::messages() const {
  return (theory.messages_at_saturation ? high : low).messages_per_entry();
}

double ComparisonRow::multicasts() const {
  return (theory.messages_at_saturation ? high : low).sends_per_entry();
}

bool ComparisonRow::deadlocked() const {
  return high.count_of(Violation::Kind::progress) + order.count_of(Violation::Kind::progress) > 0;
}

std::uint64_t ComparisonRow::violations() const {
  std::uint64_t count =
      low.violation_count + pairs.violation_count + high.violation_count + order.violation_count;
  if (theory.may_deadlock) {
    count -= high.count_of(Violation::Kind::progress) + order.count_of(Violation::Kind::progress);
  }
  return count;
}

Comparison compare(const CompareOptions& options, const VotingSets& sets,
                   const CompareObserver& observer) {
  HAPAX_CHECK(options.n > 0);
  HAPAX_CHECK(sets.processes() == options.n);
  Comparison comparison{options, sets.describe(), {}};
  CompareProgress progress;
  const auto tell = [&](double done) {
    progress.done = done;
    return !observer || observer(progress);
  };
  for (const Operations* algorithm : algorithms()) progress.rows += algorithm->shared ? 0 : 1;
  for (const Operations* algorithm : algorithms()) {
    if (algorithm->shared) continue;
    const MutexInfo& info = algorithm->info;
    progress.algorithm = info.name;
    progress.row = comparison.rows.size();
    if (!tell(0)) break;
    const MutexChoices choices{.voting_sets = info.takes.voting_sets ? &sets : nullptr};
    const Theory theory = theory_of(info, options.n, choices);
    Bench bench{options, choices, info.name, theory, tell};
    ComparisonRow row{info.name, info.kind, theory, bench.low(), {}, bench.high(), bench.order()};
    row.theory.pairs = {};  // It refers to the choices.
    if (options.n > 1) row.pairs = bench.pairs();
    // Where theory gives only bounds for the delay, 1/(SD+E) is taken with the delay of this run.
    const double sync_delay =
        theory.sync_delay_high.is_range && row.high.sync_delay.count > 0
            ? row.high.sync_delay.mean()
            : theory.sync_delay_high.value * static_cast<double>(options.latency);
    row.throughput_expected =
        static_cast<double>(kSecond) / (sync_delay + static_cast<double>(options.inside));
    comparison.rows.push_back(std::move(row));
  }
  return comparison;
}

}  // namespace hapax
