#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include "base/doubt.h"

namespace hapax {

void check_failed(std::string_view expression, std::string_view operands, const char* file,
                  int line) {
  doubt_detail::end_if_in_doubt(expression, operands);
  fmt::print(stderr, "hapax: broken invariant at {}:{}\n  {}\n  with {}\nThis is a bug in hapax.\n",
             file, line, expression, operands);
  std::fflush(stderr);
  std::abort();
}

}  // namespace hapax
