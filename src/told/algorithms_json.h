// All algorithms there are, as `hapax algorithms --json` prints them.
#pragma once

#include <boost/json.hpp>

namespace hapax {

boost::json::object algorithms_json();

}  // namespace hapax
