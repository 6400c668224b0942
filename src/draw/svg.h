// A space-time diagram as SVG, for a slide or a paper: lifelines, slanted arrows, critical sections
// as bars with their fences, waiting as pale bars, what is lost with a cross. Nothing but lines,
// polygons and text, so that every program that shows SVG shows the same.
#pragma once

#include <span>
#include <string>

#include "world/chronicle.h"

namespace hapax {

// All scenes, one below the other.
std::string draw_svg(std::span<const Chronicle> scenes);

}  // namespace hapax
