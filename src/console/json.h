// JSON for scripts: one object, on one line.
#pragma once

#include <boost/json.hpp>

namespace hapax::cli {

void print_json(const boost::json::object& object);

// A number as people and tests expect it: 18, not 1.8E1; a whole one without a fraction. Null if it
// is not a number (NaN) or infinite, for which JSON has no words.
boost::json::value json_number(double value);

}  // namespace hapax::cli
