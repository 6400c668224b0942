// A chronicle for programs.
#pragma once

#include <boost/json.hpp>
#include <span>

#include "world/chronicle.h"

namespace hapax {

// {"scenes": [{"algorithm", "nodes": […], "happenings": [{"step", "kind", "node", …}]}]}; what does
// not apply is left out.
boost::json::object happening_json(const Happening& h, const std::vector<std::string>& names);
boost::json::object chronicle_json(std::span<const Chronicle> scenes);

}  // namespace hapax
