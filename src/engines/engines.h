// All engines of this build: the one place that knows which.
#pragma once

#include "engine/makers.h"

namespace hapax::engine {

Makers all();

}  // namespace hapax::engine
