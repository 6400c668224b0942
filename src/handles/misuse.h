// What only a mistake of the calling program can bring about, where no error can be returned.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fmt/core.h>
#include <string_view>

namespace hapax::detail {

// Says which call it was, and ends the process: to go on would be to release what somebody else
// relies on.
[[noreturn]] inline void misused(std::string_view call, std::string_view name,
                                 std::string_view why) {
  fmt::print(stderr, "hapax: {} on {}: {}. The program that called it has to be mended.\n", call,
             name, why);
  std::fflush(stderr);
  std::abort();
}

}  // namespace hapax::detail
