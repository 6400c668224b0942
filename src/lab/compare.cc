#include "compare/compare.h"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "compare/elections.h"
#include "console/json.h"
#include "console/progress.h"
#include "console/table.h"
#include "console/terminal.h"
#include "console/usage.h"
#include "lab/run.h"
#include "lab/voting.h"
#include "sim/latency.h"
#include "told/compare_json.h"

namespace hapax::cli {
namespace {

// What a row shows of a run, in words.
struct Shown {
  std::string messages, client_delay, sync_delay, throughput, expected_throughput, order, fairness;
};

Shown shown(const Comparison& c, const ComparisonRow& row) {
  const bool pairs = row.pairs.sync_delay.count > 0;
  const bool dead = row.deadlocked();
  return {show_number(row.messages()),
          show_number(c.in_latencies(row.low.client_delay)) + " T",
          pairs ? show_number(c.in_latencies(row.pairs.sync_delay)) + " T" : "–",
          dead ? "deadlock" : show_number(row.high.throughput) + "/s",
          show_number(row.throughput_expected) + "/s",
          dead                       ? "–"
          : row.order.overtakes == 0 ? "yes"
                                     : "no",
          dead ? "–" : show_number(row.high.fairness)};
}

Table wide_table(const Comparison& c) {
  Table table;
  table.column("algorithm", Table::Align::left);
  table.column("messages");
  table.column("theory", Table::Align::left);
  table.column("client delay");
  table.column("theory", Table::Align::left);
  table.column("sync delay");
  table.column("theory", Table::Align::left);
  table.column("throughput");
  table.column("1/(SD+E)", Table::Align::left);
  table.column("in order", Table::Align::left);
  table.column("fairness", Table::Align::left);
  for (const ComparisonRow& row : c.rows) {
    const Shown s = shown(c, row);
    table.row({std::string{row.algorithm}, s.messages, row.theory.messages.formula, s.client_delay,
               row.theory.client_delay.formula, s.sync_delay, row.theory.sync_delay.formula,
               s.throughput, s.expected_throughput, s.order, s.fairness});
  }
  return table;
}

// The same in 80 columns: the formulas in a table of their own.
void print_narrow(const Comparison& c) {
  Table measured;
  measured.column("measured", Table::Align::left);
  for (const char* title : {"messages", "client", "sync", "rate"}) measured.column(title);
  for (const char* title : {"1/(SD+E)", "order", "fair"}) {
    measured.column(title, Table::Align::left);
  }
  Table theory;
  for (const char* title : {"theory", "messages", "client delay", "sync delay"}) {
    theory.column(title, Table::Align::left);
  }
  for (const ComparisonRow& row : c.rows) {
    const Shown s = shown(c, row);
    measured.row({std::string{row.algorithm}, s.messages, s.client_delay, s.sync_delay,
                  s.throughput, s.expected_throughput, s.order, s.fairness});
    theory.row({std::string{row.algorithm}, row.theory.messages.formula,
                row.theory.client_delay.formula, row.theory.sync_delay.formula});
  }
  fmt::print("{}\n{}\n", measured.text(), theory.text());
}

bool is_narrow(const Table& table, bool asked_for) {
  const std::optional<std::size_t> columns = columns_of(STDOUT_FILENO);
  return asked_for || (columns && *columns < table.width());
}

void print_mutex_table(const Comparison& c, bool narrow) {
  fmt::print("Mutual exclusion, N = {}, T = {}, E = {}\n", c.options.n,
             format_duration(c.options.latency), format_duration(c.options.inside));
  fmt::print("voting sets: {}\n\n", c.voting_sets);
  const Table table = wide_table(c);
  if (is_narrow(table, narrow)) return print_narrow(c);
  fmt::print("{}\n", table.text());
}

Table election_table(const std::vector<ElectionRow>& rows, bool with_messages,
                     bool with_turnaround) {
  Table table;
  table.column("algorithm", Table::Align::left);
  table.column("situation", Table::Align::left);
  if (with_messages) table.column("messages"), table.column("theory", Table::Align::left);
  if (with_turnaround) table.column("turnaround"), table.column("theory", Table::Align::left);
  for (const ElectionRow& row : rows) {
    std::vector<std::string> cells{std::string{row.algorithm}, std::string{row.situation}};
    if (with_messages) {
      cells.push_back(fmt::format("{}", row.report.sent));
      cells.push_back(fmt::format("{} = {}", row.formula, row.expected));
    }
    if (with_turnaround) {
      cells.push_back(fmt::format("{:.4g} T", row.turnaround));
      cells.push_back(row.turnaround_formula);
    }
    table.row(std::move(cells));
  }
  return table;
}

void print_election_table(const std::vector<ElectionRow>& rows, std::uint32_t n, bool narrow) {
  fmt::print("Election, N = {}\n\n", n);
  const Table table = election_table(rows, true, true);
  if (!is_narrow(table, narrow)) return fmt::print("{}\n", table.text());
  fmt::print("{}\n{}\n", election_table(rows, true, false).text(),
             election_table(rows, false, true).text());
}

}  // namespace

int run_compare(const CompareArguments& a) {
  CompareOptions options;
  options.n = static_cast<std::uint32_t>(a.n);
  const auto bounds = value_or_usage(Latency::parse(a.latency)).bounds();
  if (!bounds || bounds->first != bounds->second) {
    throw UsageError{fmt::format(
        "--latency {}: the formulas are about a constant one; use e.g. 1ms", a.latency)};
  }
  options.latency = bounds->first;
  options.inside =
      a.inside.empty() ? 5 * options.latency : value_or_usage(parse_duration(a.inside, "--cs"));
  if (options.inside < 5 * options.latency) {
    throw UsageError{
        fmt::format("--cs {} is too short: the formulas hold when requests arrive while another is "
                    "inside; use at "
                    "least five times the latency",
                    a.inside)};
  }
  options.seed = a.seed;
  const VotingSets sets = voting_sets_from(a.voting_sets, options.n);
  Comparison comparison;
  std::vector<ElectionRow> elections;
  {
    Progress progress{!a.json};
    comparison = compare(options, sets, [&](const CompareProgress& p) {
      const double done = static_cast<double>(p.row) + p.done;
      progress.show(static_cast<std::uint64_t>(done * 100), p.rows * 100,
                    fmt::format("{}, {} of {}", p.algorithm, p.row + 1, p.rows));
      return true;
    });
    if (options.n >= 3) elections = compare_elections(options.n, options.latency);
  }
  std::uint64_t violations = 0;
  for (const ComparisonRow& row : comparison.rows) violations += row.violations();
  for (const ElectionRow& row : elections) violations += row.report.violations.size();
  if (a.json) {
    print_json(compare_json(comparison, elections));
  } else {
    print_mutex_table(comparison, a.narrow);
    if (!elections.empty()) print_election_table(elections, options.n, a.narrow);
    fmt::print(
        "Measured in virtual time: messages and client delay with one requester at a time "
        "(token-ring's "
        "messages at saturation), synchronization delay with one waiting, throughput and fairness "
        "with "
        "everybody asking again at once, order with requests at random times. 1/(SD+E) takes "
        "theory's SD under high load (token-ring T, raymond 2T(N-1)/N); where theory has bounds "
        "only (maekawa) that of the run, so there it is bookkeeping, no proof. {}.\n",
        violations == 0 ? "Every run was checked: at most one inside, fences grew"
                        : fmt::format("{} VIOLATIONS", violations));
  }
  return violations == 0 ? kHolds : kViolated;
}

}  // namespace hapax::cli
