// What needs many libraries is a program of its own, beside hapax or in $PATH.
#pragma once

#include <string_view>

namespace hapax::cli {

// Hands over to `program`, with the same arguments. Returns only by Failure: it is not there, and
// `what` needs it.
[[noreturn]] void become(const char* program, char** argv, std::string_view what);

}  // namespace hapax::cli
