#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace hapax {

void check_failed(std::string_view expression, std::string_view operands, const char* file,
                  int line) {
  fmt::print(stderr, "hapax: broken invariant at {}:{}\n  {}\n  with {}\nThis is a bug in hapax.\n",
             file, line, expression, operands);
  std::fflush(stderr);
  std::abort();
}

}  // namespace hapax
