#include <cmath>
#include <fmt/format.h>

#include "console/json.h"
#include "lab/sim_figures.h"

namespace hapax::cli {
namespace {

boost::json::value maybe(std::optional<double> value) {
  return value ? json_number(*value) : boost::json::value{};
}

boost::json::value maybe(const Expected* expected) {
  return expected != nullptr ? json_number(expected->value) : boost::json::value{};
}

std::optional<double> in_ms(const Spread& spread, double nanos) {
  return spread.count == 0 ? std::nullopt : std::optional{nanos / kMillisecond};
}

}  // namespace

void print_as_json(const SimFigures& f) {
  const SimReport& r = f.report;
  boost::json::array details;
  for (const Violation& v : r.violations) {
    details.push_back({{"kind", name_of(v.kind)}, {"at_ns", v.at}, {"text", v.text}});
  }
  boost::json::object object{
      {"algorithm", f.arguments.algorithm},
      {"n", f.options.n},
      {"load", f.options.load.text()},
      {"latency", f.options.latency.text()},
      {"cs_ns", f.options.inside},
      {"channels", f.options.channels == Channels::fifo ? "fifo" : "unordered"},
      {"seed", f.options.seed},
      {"requests", f.options.entries},
      {"entries", r.entries},
      {"messages_per_entry", maybe(f.per_entry(r.messages_per_entry()))},
      {"expected_messages_per_entry", maybe(f.expected_messages())},
      {"multicasts_per_entry", maybe(f.per_entry(r.sends_per_entry()))},
      {"client_delay_T", maybe(f.in_t(r.client_delay))},
      {"expected_client_delay_T", maybe(f.expected_client_delay())},
      {"sync_delay_T", maybe(f.in_t(r.sync_delay))},
      {"expected_sync_delay_T", maybe(f.expected_sync_delay())},
      {"response_time_ms", maybe(in_ms(r.response_time, r.response_time.mean()))},
      {"throughput", maybe(f.throughput())},
      {"expected_throughput", maybe(f.expected_throughput())},
      {"in_request_order", r.overtakes == 0},
      {"overtakes", r.overtakes},
      {"longest_wait_ms", maybe(in_ms(r.wait, static_cast<double>(r.wait.most)))},
      {"fairness", maybe(f.per_entry(r.fairness))},
      {"virtual_time_ms", json_number(static_cast<double>(r.virtual_time) / kMillisecond)},
      {"events", r.events},
      {"events_per_second", json_number(std::round(f.events_per_second()))},
      {"peak_rss_bytes", peak_rss_bytes()},
      {"violations", r.violation_count},
      {"stopped_early", r.stopped_early},
      {"violation_details", std::move(details)},
      {"fingerprint", fmt::format("{:016x}", r.fingerprint)}};
  if (f.sets != nullptr) object["voting_sets"] = f.sets->describe();
  print_json(object);
}

}  // namespace hapax::cli
