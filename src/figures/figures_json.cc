#include "figures/figures_json.h"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "base/printable.h"

namespace hapax {
namespace {

double in_ms(std::chrono::nanoseconds span) {
  return std::chrono::duration<double, std::milli>(span).count();
}

std::string histogram_json(const Histogram& histogram) {
  std::vector<double> bounds;
  for (const auto bound : histogram.bounds()) bounds.push_back(in_ms(bound));
  return fmt::format("{{\"bounds_ms\":[{}],\"counts\":[{}],\"sum_ms\":{}}}", fmt::join(bounds, ","),
                     fmt::join(histogram.counts(), ","), in_ms(histogram.sum()));
}

}  // namespace

std::string figures_json(const Facts& facts) {
  std::string rules;
  for (const RuleCounts& rule : facts.requests) {
    if (!rule.is_used() && facts.requests.size() > 1) continue;
    rules += fmt::format(
        "{}{{\"pattern\":{},\"algorithm\":{},\"waiting\":{},\"holding\":{},\"waits\":{},\"holds\":{"
        "}}}",
        rules.empty() ? "" : ",", json_string(rule.pattern), json_string(rule.algorithm),
        rule.waiting, rule.holding, histogram_json(rule.waits), histogram_json(rule.holds));
  }
  std::uint64_t drops = 0, sent = 0, received = 0;
  for (const std::uint64_t count : facts.links.drops) drops += count;
  for (const auto& algorithm : facts.locks.algorithms) {
    sent += algorithm.sent;
    received += algorithm.received;
  }
  return fmt::format(
      "{{\"rules\":[{}],\"messages_sent\":{},\"messages_received\":{},\"losses_told\":{},"
      "\"stale_messages_refused\":{},\"leases_lost\":{},\"complaints\":{},\"links_refused\":{},"
      "\"longest_turn_ms\":{}}}",
      rules, sent, received, facts.views.lost_grants, facts.views.old_frames,
      facts.counts.lease_losses, facts.complaints, drops, in_ms(facts.longest_turn));
}

}  // namespace hapax
