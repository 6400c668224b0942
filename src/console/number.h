// Numbers on the command line, in range. An error quotes what was typed and says what to type.
#pragma once

#include <cstdint>
#include <string>

#include "console/command.h"

namespace hapax::cli {

// Decimal, whatever zeros stand before it. `unit` ends the advice.
Check whole_number(std::uint64_t least, std::uint64_t most, std::string unit = "");

// Perhaps with a fraction.
Check fraction(double least, double most);
// The same, or with a unit: 2.5, 500ms, 1min.
Check seconds(double least, double most);

}  // namespace hapax::cli
