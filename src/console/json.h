// JSON for scripts: one object, on one line.
#pragma once

#include <boost/json.hpp>
#include <string>

namespace hapax::cli {

// So that a person can read it, too: as print_json() prints it, without the end of the line.
std::string json_text(const boost::json::object& object);
void print_json(const boost::json::object& object);

// A number as people and tests expect it: 18, not 1.8E1; a whole one without a fraction. Null if it
// is not a number (NaN) or infinite, for which JSON has no words.
boost::json::value json_number(double value);

}  // namespace hapax::cli
