#include "console/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace hapax::cli {

namespace {

constexpr std::size_t kUsual = 80;

}  // namespace

std::optional<std::size_t> columns_of(int descriptor) {
  if (isatty(descriptor) != 1) return std::nullopt;
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsual;
}

std::size_t page_width() { return columns_of(STDOUT_FILENO).value_or(kUsual); }

bool is_output_read() noexcept {
  pollfd output{STDOUT_FILENO, 0, 0};  // Of errors poll() tells unasked.
  return poll(&output, 1, 0) <= 0 || (output.revents & (POLLERR | POLLHUP)) == 0;
}

}  // namespace hapax::cli
