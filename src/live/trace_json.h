// What was recorded of a lock, for the page: the trace, and its picture.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "session/recording.h"

namespace hapax::live {

// Longer ones are not drawn here: the laboratory opens the trace.
inline constexpr std::size_t kMostDrawnSteps = 200;

Result<boost::json::object> json_of_trace(const session::Recording& recording);

}  // namespace hapax::live
