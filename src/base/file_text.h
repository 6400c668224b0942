// All of a file that somebody names: a setting, a copy, a key.
#pragma once

#include <string>

#include "base/result.h"

namespace hapax {

// The error says of which file, and why not: "cannot read /etc: Is a directory". Nothing is read of
// files beyond 16 MiB, or without end.
Result<std::string> text_of_file(const std::string& path);

}  // namespace hapax
