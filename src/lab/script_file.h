// A trace that the command line names.
#pragma once

#include <string>

#include "world/script.h"

namespace hapax::cli {

// Reads FILE, or standard input for "-". Throws UsageError if there is no such file, or no trace in
// it.
Script script_from(const std::string& file);

}  // namespace hapax::cli
