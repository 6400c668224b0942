#include <fmt/format.h>
#include <optional>

#include "catalog/catalog.h"
#include "console/progress.h"
#include "console/usage.h"
#include "lab/sim.h"
#include "lab/sim_figures.h"
#include "lab/sim_trace.h"
#include "lab/voting.h"
#include "sim/run.h"

namespace hapax::cli {
namespace {

constexpr std::uint32_t kAskersAtMost = 64;     // Of very many processes, by default …
constexpr std::uint32_t kManyProcesses = 1000;  // … and this many are very many.

// Not known before -n is: the command line alone cannot check it.
std::uint32_t at_most(std::int64_t most, std::int64_t value, std::string_view what) {
  if (value > most) {
    throw UsageError{fmt::format("{} {} is out of range; use 0 … {}", what, value, most)};
  }
  return static_cast<std::uint32_t>(value);
}

SimOptions options_from(const SimArguments& a) {
  SimOptions options;
  options.n = static_cast<std::uint32_t>(a.n);
  options.entries = static_cast<std::uint64_t>(a.requests);
  options.load = value_or_usage(Load::parse(a.load));
  options.latency = value_or_usage(Latency::parse(a.latency));
  options.inside = value_or_usage(parse_duration(a.inside, "--cs"));
  options.channels = a.unordered ? Channels::unordered : Channels::fifo;
  options.seed = a.seed;
  options.holder = NodeId{at_most(a.n - 1, a.holder, "--holder")};
  options.held = a.held;
  options.readers = a.readers;
  options.self_check = a.self_check;
  options.requesters = at_most(a.n, a.requesters, "--requesters");
  if (options.requesters == 0 && options.load.kind != Load::Kind::low &&
      options.n > kManyProcesses) {
    options.requesters = kAskersAtMost;
  }
  for (const std::string& fault : a.faults) {
    options.faults.push_back(value_or_usage(parse_fault(fault)));
  }
  return options;
}

void warn(const SimArguments& a) {
  if (a.json || !a.unordered) return;
  if (find_algorithm(a.algorithm)->info.needs != Channels::fifo) return;
  fmt::print(stderr, "note: {} needs FIFO channels; this run shows what happens without\n",
             a.algorithm);
}

}  // namespace

int simulate_mutex(const SimArguments& a) {
  SimOptions options = options_from(a);
  const MutexInfo& info = find_algorithm(a.algorithm)->info;
  const std::optional<VotingSets> chosen = voting_sets_for(info, a.voting_sets, options.n);
  const VotingSets* sets = chosen ? &*chosen : nullptr;
  const MutexChoices choices{.voting_sets = sets,
                             .say_denied = a.say_denied,
                             .units = static_cast<std::uint32_t>(a.units),
                             .per_member = 1};
  std::optional<SimTrace> trace;
  if (!a.trace.empty()) {
    trace.emplace(a, options, sets);
    options.recorder = trace->recorder();
  }
  Progress progress{!a.json};
  double set_up = 0;  // Making a million processes is not what events per second are about.
  const Result<SimReport> report =
      simulate(a.algorithm, options, choices, [&](const SimProgress& p) {
        if (p.events == 0) set_up = progress.seconds();
        progress.show(p.entries, p.entries_wanted,
                      fmt::format("{} of {} entries, {:.1f} million events", p.entries,
                                  p.entries_wanted, static_cast<double>(p.events) / 1e6));
        return true;
      });
  const double seconds = progress.seconds() - set_up;
  const SimFigures figures{a,
                           options,
                           sets,
                           theory_with_uniform_draw(info, options.n, choices),
                           value_or_usage(report),
                           seconds};
  if (trace) trace->write();
  warn(a);  // Not before: an error is one line.
  a.json ? print_as_json(figures) : print_table(figures);
  return figures.report.violation_count == 0 ? kHolds : kViolated;
}

}  // namespace hapax::cli
