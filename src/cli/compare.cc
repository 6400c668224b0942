#include "sim/compare.h"

#include <fmt/format.h>
#include <memory>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/sim.h"
#include "cli/table.h"
#include "cli/voting.h"
#include "sim/compare_elections.h"

namespace hapax::cli {
namespace {

constexpr std::int64_t kMostCompared = 2000;  // Tables of more take minutes.

struct CompareArguments {
  std::int64_t n = 10;
  std::string latency = "1ms";
  std::string inside = "5ms";
  std::string voting_sets = "smallest";
  std::uint64_t seed = 1;
  bool json = false;
};

double in_t(const Comparison& c, const Spread& spread) {
  return spread.mean() / static_cast<double>(c.options.latency);
}

void print_mutex_table(const Comparison& c) {
  fmt::print("Mutual exclusion, N = {}, T = {}, E = {}\n", c.options.n,
             format_duration(c.options.latency), format_duration(c.options.inside));
  fmt::print("voting sets: {}\n\n", c.voting_sets);
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
    const bool pairs = row.pairs.sync_delay.count > 0;
    const bool dead = row.deadlocked();
    table.row({std::string{row.algorithm}, show_number(row.messages()), row.theory.messages.formula,
               show_number(in_t(c, row.low.client_delay)) + " T", row.theory.client_delay.formula,
               pairs ? show_number(in_t(c, row.pairs.sync_delay)) + " T" : "–",
               row.theory.sync_delay.formula,
               dead ? "deadlock" : show_number(row.high.throughput) + "/s",
               show_number(row.throughput_expected) + "/s",
               dead                       ? "–"
               : row.order.overtakes == 0 ? "yes"
                                          : "no",
               dead ? "–" : show_number(row.high.fairness)});
  }
  fmt::print("{}\n", table.text());
}

void print_election_table(const std::vector<ElectionRow>& rows, std::uint32_t n) {
  fmt::print("Election, N = {}\n\n", n);
  Table table;
  table.column("algorithm", Table::Align::left);
  table.column("situation", Table::Align::left);
  table.column("messages");
  table.column("theory", Table::Align::left);
  for (const ElectionRow& row : rows) {
    table.row({std::string{row.algorithm}, std::string{row.situation},
               fmt::format("{}", row.report.sent),
               fmt::format("{} = {}", row.formula, row.expected)});
  }
  fmt::print("{}\n", table.text());
}

boost::json::object as_json(const Comparison& c, const ComparisonRow& row) {
  const bool dead = row.deadlocked();
  const auto unless_dead = [&](boost::json::value value) {
    return dead ? boost::json::value{} : std::move(value);
  };
  const bool pairs = row.pairs.sync_delay.count > 0;
  return {
      {"algorithm", row.algorithm},
      {"kind", row.kind},
      {"messages_per_entry", json_number(row.messages())},
      {"expected_messages_per_entry", json_number(row.theory.messages.value)},
      {"messages_formula", row.theory.messages.formula},
      {"messages_exact", row.theory.messages.exact},
      {"requesters", name_of(row.theory.draw)},
      {"multicasts_per_entry", json_number(row.multicasts())},
      {"client_delay_T", json_number(in_t(c, row.low.client_delay))},
      {"expected_client_delay_T", json_number(row.theory.client_delay.value)},
      {"sync_delay_T", pairs ? json_number(in_t(c, row.pairs.sync_delay)) : boost::json::value{}},
      {"expected_sync_delay_T", json_number(row.theory.sync_delay.value)},
      {"throughput", unless_dead(json_number(row.high.throughput))},
      {"expected_throughput", json_number(row.throughput_expected)},
      {"in_request_order", unless_dead(row.order.overtakes == 0)},
      {"expected_in_request_order", row.theory.in_request_order},
      {"fairness", unless_dead(json_number(row.high.fairness))},
      {"longest_wait_ms",
       unless_dead(json_number(static_cast<double>(row.high.wait.most) / kMillisecond))},
      {"response_time_ms", unless_dead(json_number(row.high.response_time.mean() / kMillisecond))},
      {"deadlock", dead},
      {"violations", row.violations()}};
}

void print_as_json(const Comparison& c, const std::vector<ElectionRow>& elections) {
  boost::json::array rows;
  for (const ComparisonRow& row : c.rows) rows.push_back(as_json(c, row));
  boost::json::array election_rows;
  for (const ElectionRow& row : elections) {
    election_rows.push_back({{"algorithm", row.algorithm},
                             {"situation", row.situation},
                             {"messages", row.report.sent},
                             {"expected_messages", row.expected},
                             {"messages_formula", row.formula},
                             {"violations", row.report.violations.size()}});
  }
  print_json({{"n", c.options.n},
              {"latency_ns", c.options.latency},
              {"cs_ns", c.options.inside},
              {"seed", c.options.seed},
              {"voting_sets", c.voting_sets},
              {"rows", std::move(rows)},
              {"elections", std::move(election_rows)}});
}

int run_compare(const CompareArguments& a) {
  CompareOptions options;
  if (a.n > kMostCompared) {
    throw UsageError{
        fmt::format("-n {} is too many to compare all algorithms; use at most {}, or "
                    "`hapax sim` for one of them",
                    a.n, kMostCompared)};
  }
  options.n = processes(a.n);
  options.latency = value_or_usage(parse_duration(a.latency, "--latency"));
  if (options.latency == 0) throw UsageError{"--latency 0 leaves nothing to measure; try 1ms"};
  options.inside = value_or_usage(parse_duration(a.inside, "--cs"));
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
    comparison = compare(options, sets, [&](std::string_view algorithm, std::size_t row) {
      progress.show(row, 11, algorithm);
      return true;
    });
    if (options.n >= 3) elections = compare_elections(options.n, options.latency);
  }
  std::uint64_t violations = 0;
  for (const ComparisonRow& row : comparison.rows) violations += row.violations();
  for (const ElectionRow& row : elections) violations += row.report.violations.size();
  if (a.json) {
    print_as_json(comparison, elections);
  } else {
    print_mutex_table(comparison);
    if (!elections.empty()) print_election_table(elections, options.n);
    fmt::print(
        "Measured in virtual time: messages and client delay with one requester at a time "
        "(token-ring's "
        "messages at saturation), synchronization delay with one waiting, throughput and fairness "
        "with "
        "everybody asking again at once, order with requests at random times. {}.\n",
        violations == 0 ? "Every run was checked: at most one inside, fences grew"
                        : fmt::format("{} VIOLATIONS", violations));
  }
  return violations == 0 ? kHolds : kViolated;
}

}  // namespace

void add_compare(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("compare", "Every algorithm: measured beside theory");
  auto a = std::make_shared<CompareArguments>();
  command->add_option("-n", a->n, "Processes, 1 … 2000")->capture_default_str();
  command->add_option("--latency", a->latency, "T, the time of a message")->capture_default_str();
  command->add_option("--cs", a->inside, "E, the time inside, at least 5T")->capture_default_str();
  command
      ->add_option("--voting-sets", a->voting_sets,
                   "maekawa: smallest | grid | cyclic | plane | lecture | FILE")
      ->capture_default_str();
  command->add_option("--seed", a->seed, "Same seed, same table")->capture_default_str();
  command->add_flag("--json", a->json, "One JSON object instead of tables");
  command->footer(
      "Examples:\n"
      "  hapax compare -n 10\n"
      "  hapax compare -n 7 --voting-sets lecture\n"
      "  hapax compare -n 100 --json | jq '.rows[] | {algorithm, messages_per_entry}'");
  command->callback([a, &outcome] { outcome.status = run_compare(*a); });
}

}  // namespace hapax::cli
