#include "core/file_path.h"

#include <algorithm>

#include "core/lock_name.h"

namespace hapax {

Result<void> check_file_path(std::string_view path) {
  if (path.empty()) return error("A file needs a path.");
  if (const auto good = check_lock_name(path); !good) {
    return error("A file is named as a lock is. {}", good.error().message);
  }
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.empty()) {
      return error(
          "A file's path has something between its slashes, and none in front or at the end: "
          "config/db.");
    }
    if (part == "." || part == "..") return error("A file's path has no '{}' in it.", part);
    at = end + 1;
  }
  return {};
}

Result<void> check_folder(std::string_view path) {
  return path.empty() ? Result<void>{} : check_file_path(path);
}

bool is_in_folder(std::string_view path, std::string_view folder) {
  return folder.empty() || path == folder ||
         (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

}  // namespace hapax
