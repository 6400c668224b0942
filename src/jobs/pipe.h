// A pipe that no program inherits.
#pragma once

namespace hapax::cli {

struct Pipe {
  int read = -1, write = -1;
};

// Throws Failure.
Pipe make_pipe();

// What errno says. Throws Failure.
[[noreturn]] void fail_by_errno(const char* what);

}  // namespace hapax::cli
