// What changes at a daemon, a line each, for as long as somebody watches.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <string>
#include <vector>

#include "console/signals.h"

namespace hapax::cli {

struct Sight {
  std::string of;              // What it is of: a lock's name.
  std::string line;            // Two are alike if their lines are.
  boost::json::object object;  // The same for scripts.
};

// Looks five times a second, until a signal or until nobody reads any more, and prints what is new
// with its time. Returns the exit status.
int show_changes(Signals& signals, bool json, const std::function<std::vector<Sight>()>& look);

}  // namespace hapax::cli
