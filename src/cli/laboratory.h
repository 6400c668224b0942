// The laboratory is a program of its own, hapax-lab, found beside hapax or in $PATH.
#pragma once

#include "console/command.h"

namespace hapax::cli {

// Hands over to it, with the same arguments. Returns only by Failure: it is not there.
[[noreturn]] void become_laboratory(char** argv);

}  // namespace hapax::cli
