#include "base/file_text.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace hapax {
namespace {

constexpr std::size_t kLargest = 16u << 20;

}  // namespace

Result<std::string> text_of_file(const std::string& path) {
  const auto failure = [&] { return error("cannot read {}: {}", path, std::strerror(errno)); };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failure();
  std::string text;
  std::array<char, 16'384> part{};
  for (;;) {
    const ssize_t count = read(fd, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const auto why = failure();
      close(fd);
      return why;
    }
    if (count == 0 || text.size() > kLargest) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  close(fd);
  if (text.size() > kLargest) return error("{} is too large to be read", path);
  return {boost::system::in_place_value, std::move(text)};
}

}  // namespace hapax
