#include "base/machine_daemon.h"

#include <sys/stat.h>

namespace hapax {
namespace {

// Nothing if it is no folder, or others than its owner may put something there.
std::optional<uid_t> owner_of(const std::filesystem::path& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return std::nullopt;
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
  return found.st_uid;
}

}  // namespace

std::optional<uid_t> server_by_root(const std::filesystem::path& socket) {
  struct stat found {};
  if (::lstat(socket.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return std::nullopt;
  const auto folder = socket.parent_path();
  return owner_of(folder.parent_path()) == uid_t{0} ? owner_of(folder) : std::nullopt;
}

}  // namespace hapax
