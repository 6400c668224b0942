// A log for ShiViz (Beschastnikh et al., "Debugging distributed systems", CACM 59(8), 2016): every
// step of a node with its vector clock.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "world/chronicle.h"

namespace hapax {

// What to tell ShiViz about the lines; the header of the log repeats it. Between scenes stands a
// line that kShivizDelimiter matches.
inline constexpr std::string_view kShivizRegex = R"((?<host>\S+) (?<clock>\{[^}]*\}) (?<event>.*))";
inline constexpr std::string_view kShivizDelimiter = R"(^=== (?<trace>.*) ===$)";

std::string shiviz_log(std::span<const Chronicle> scenes);

}  // namespace hapax
