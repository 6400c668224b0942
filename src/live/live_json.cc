#include "live/live_json.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "group_json/group_json.h"

namespace hapax::live {
namespace {

double milliseconds_of(std::chrono::nanoseconds span) {
  return std::chrono::duration<double, std::milli>(span).count();
}

boost::json::object json_of(const Histogram& histogram) {
  boost::json::array bounds, counts;
  for (const auto bound : histogram.bounds()) bounds.push_back(milliseconds_of(bound));
  for (const std::uint64_t count : histogram.counts()) counts.push_back(count);
  return {{"bounds_ms", std::move(bounds)},
          {"counts", std::move(counts)},
          {"sum_ms", milliseconds_of(histogram.sum())}};
}

}  // namespace

boost::json::object json_of_figures(const Facts& facts) {
  boost::json::array rules;
  for (const RuleCounts& rule : facts.requests) {
    if (!rule.is_used() && facts.requests.size() > 1) continue;
    rules.push_back(boost::json::object{{"pattern", rule.pattern},
                                        {"algorithm", rule.algorithm},
                                        {"waiting", rule.waiting},
                                        {"holding", rule.holding},
                                        {"waits", json_of(rule.waits)},
                                        {"holds", json_of(rule.holds)}});
  }
  std::uint64_t drops = 0;
  for (std::size_t i = 0; i < net::kDrops; ++i) drops += facts.links.drops[i];
  std::uint64_t sent = 0, received = 0;
  for (const auto& algorithm : facts.locks.algorithms) {
    sent += algorithm.sent;
    received += algorithm.received;
  }
  return {{"rules", std::move(rules)},
          {"messages_sent", sent},
          {"messages_received", received},
          {"losses_told", facts.views.lost_grants},
          {"stale_messages_refused", facts.views.old_frames},
          {"leases_lost", facts.counts.lease_losses},
          {"complaints", facts.complaints},
          {"links_refused", drops},
          {"longest_turn_ms", milliseconds_of(facts.longest_turn)}};
}

boost::json::object json_of_waits(const WaitsFor& graph,
                                  const std::function<bool(const std::string& lock)>& may_read) {
  boost::json::array edges, cycles;
  for (const auto& [from, tos] : graph.edges()) {
    if (!may_read(from)) continue;
    for (const std::string& to : tos) {
      if (may_read(to)) edges.push_back(boost::json::array{from, to});
    }
  }
  for (const auto& cycle : graph.cycles()) {
    if (!std::all_of(cycle.begin(), cycle.end(), may_read)) continue;
    cycles.push_back(boost::json::array(cycle.begin(), cycle.end()));
  }
  return {{"edges", std::move(edges)}, {"cycles", std::move(cycles)}};
}

boost::json::array json_of_history(const std::vector<const Turnover*>& history) {
  boost::json::array rows;
  for (const Turnover* turnover : history) {
    rows.push_back(boost::json::object{{"time", turnover->time.count()},
                                       {"what", turnover->is_taken ? "taken" : "left"},
                                       {"who", cli::json_of(turnover->who)}});
  }
  return rows;
}

}  // namespace hapax::live
