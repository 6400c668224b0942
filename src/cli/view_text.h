// A group on an engine, as `hapax status` and `hapax members` show it.
#pragma once

#include <boost/json.hpp>

#include "hapax/client.h"

namespace hapax::cli {

boost::json::object json_view(const ViewStatus& view);
// Engine, lease, and who is there.
void print_view(const ViewStatus& view);
void print_members(const ViewStatus& view);

}  // namespace hapax::cli
