#include "told/compare_json.h"

#include <utility>

#include "console/json.h"

namespace hapax {
namespace {

using cli::json_number;

boost::json::object row_json(const Comparison& c, const ComparisonRow& row) {
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
      {"client_delay_T", json_number(c.in_latencies(row.low.client_delay))},
      {"expected_client_delay_T", json_number(row.theory.client_delay.value)},
      {"client_delay_formula", row.theory.client_delay.formula},
      {"sync_delay_T",
       pairs ? json_number(c.in_latencies(row.pairs.sync_delay)) : boost::json::value{}},
      {"expected_sync_delay_T", json_number(row.theory.sync_delay.value)},
      {"sync_delay_formula", row.theory.sync_delay.formula},
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

}  // namespace

boost::json::object compare_json(const Comparison& c, const std::vector<ElectionRow>& elections) {
  boost::json::array rows;
  for (const ComparisonRow& row : c.rows) rows.push_back(row_json(c, row));
  boost::json::array election_rows;
  for (const ElectionRow& row : elections) {
    election_rows.push_back({{"algorithm", row.algorithm},
                             {"situation", row.situation},
                             {"messages", row.report.sent},
                             {"expected_messages", row.expected},
                             {"messages_formula", row.formula},
                             {"turnaround_T", row.turnaround},
                             {"expected_turnaround_T", row.expected_turnaround},
                             {"turnaround_formula", row.turnaround_formula},
                             {"violations", row.report.violations.size()}});
  }
  return {{"n", c.options.n},
          {"latency_ns", c.options.latency},
          {"cs_ns", c.options.inside},
          {"seed", c.options.seed},
          {"voting_sets", c.voting_sets},
          {"rows", std::move(rows)},
          {"elections", std::move(election_rows)}};
}

}  // namespace hapax
