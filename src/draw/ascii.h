// A space-time diagram for a terminal: one step per row, with its reason.
//
//   │ at rest   ┆ waits   █ inside   ║ leads   × crashes; an arrow stands where it arrives.
#pragma once

#include <string>

#include "world/chronicle.h"

namespace hapax {

std::string draw_ascii(const Chronicle& chronicle);

}  // namespace hapax
