// Names of algorithms as people misspell them.
#pragma once

#include <string>

namespace hapax::cli {

// Throws UsageError that names the nearest one. REQUIRES: there is none of that name to simulate.
[[noreturn]] void refuse_unknown_algorithm(const std::string& name);

}  // namespace hapax::cli
