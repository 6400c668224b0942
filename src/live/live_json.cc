#include "live/live_json.h"

#include <algorithm>
#include <utility>

#include "group_json/group_json.h"

namespace hapax::live {
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
