// What the live page is told besides what the commands print, as JSON (docs/live.md).
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <string>
#include <vector>

#include "live/lock_picture.h"
#include "waits/graph.h"

namespace hapax::live {

// {"edges":[[lock, lock], …],"cycles":[[lock, …], …]}: only what is among the locks that one may
// read.
boost::json::object json_of_waits(const WaitsFor& graph,
                                  const std::function<bool(const std::string& lock)>& may_read);

boost::json::array json_of_history(const std::vector<const Turnover*>& history);

}  // namespace hapax::live
