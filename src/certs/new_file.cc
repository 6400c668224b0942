#include "certs/new_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace hapax::net {

std::optional<Error> write(const NewFile& file) {
  const auto failed = [&] {
    return error("cannot write {}: {}", file.path.string(), std::strerror(errno));
  };
  const int fd = ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.mode);
  if (fd < 0) return failed();
  std::string_view rest = file.text;
  while (!rest.empty()) {
    const ssize_t count = ::write(fd, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const Error e = failed();
      ::close(fd);
      return e;
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::close(fd) != 0) return failed();
  return std::nullopt;
}

std::optional<Error> replace(const NewFile& file) {
  std::filesystem::path beside = file.path;
  beside += ".new";
  std::error_code failed;
  std::filesystem::remove(beside, failed);  // Of one who was stopped.
  if (auto e = write({beside, file.text, file.mode})) return e;
  std::filesystem::rename(beside, file.path, failed);
  if (failed) return error("cannot write {}: {}", file.path.string(), failed.message());
  return std::nullopt;
}

}  // namespace hapax::net
