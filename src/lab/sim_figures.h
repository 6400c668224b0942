// What a simulated run has measured, beside what theory expects of it: for people and for scripts.
#pragma once

#include <optional>

#include "lab_commands/lab_commands.h"
#include "sim/options.h"
#include "sim/report.h"
#include "sim/theory.h"
#include "voting/voting_sets.h"

namespace hapax::cli {

struct SimFigures {
  const SimArguments& arguments;
  const SimOptions& options;
  const VotingSets* sets;  // Null if it does not vote.
  Theory theory;
  SimReport report;
  double seconds;

  double events_per_second() const;
  bool several_at_once() const;

  // Null or nothing where the formula is not about such a run.
  const Expected* expected_messages() const;
  const Expected* expected_client_delay() const;
  const Expected* expected_sync_delay() const;
  std::optional<double> expected_throughput() const;

  // Figures about entries, if there are any; a rate takes two.
  std::optional<double> per_entry(double value) const;
  std::optional<double> throughput() const;
  std::optional<double> in_t(const Spread& spread) const;  // In latencies, on the mean.

 private:
  // Whether formulas about this load hold: those for messages and client delay are about one
  // requester at a time, those for throughput about all at once, of which one is inside; all of
  // them about every process asking, and none failing.
  bool is(Load::Kind kind) const;
  double t() const { return static_cast<double>(options.latency.mean()); }
};

std::uint64_t peak_rss_bytes();

void print_as_json(const SimFigures& figures);
void print_table(const SimFigures& figures);

}  // namespace hapax::cli
