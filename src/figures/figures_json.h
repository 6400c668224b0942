// What a daemon counts, for its live page: how long its clients wait and hold, and what went wrong.
#pragma once

#include <string>

#include "figures/facts.h"

namespace hapax {

// docs/live.md says what is in it.
std::string figures_json(const Facts& facts);

}  // namespace hapax
