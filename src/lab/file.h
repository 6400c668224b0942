// Files that the command line names.
#pragma once

#include <string>

#include "base/result.h"

namespace hapax::cli {

// All of it, also of a pipe; of standard input for "-". An error says only why not.
Result<std::string> read_file(const std::string& file);

// To standard output for "-" or nothing. Throws UsageError.
void write_file(const std::string& file, const std::string& text);

}  // namespace hapax::cli
