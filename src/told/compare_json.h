// The table of all algorithms, as `hapax compare --json` prints it.
#pragma once

#include <boost/json.hpp>
#include <vector>

#include "compare/compare.h"
#include "compare/elections.h"

namespace hapax {

boost::json::object compare_json(const Comparison& comparison,
                                 const std::vector<ElectionRow>& elections);

}  // namespace hapax
