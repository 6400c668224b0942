// Whole numbers on the command line: decimal whatever zeros stand before them, and in range.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace hapax::cli {

// For Option::transform. An error quotes what was typed; `unit` ends its advice.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most, std::string unit = "");

}  // namespace hapax::cli
