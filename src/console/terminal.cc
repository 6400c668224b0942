#include "console/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace hapax::cli {

std::optional<std::size_t> columns_of(int descriptor) {
  constexpr std::size_t kUsual = 80;
  if (isatty(descriptor) != 1) return std::nullopt;
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsual;
}

}  // namespace hapax::cli
