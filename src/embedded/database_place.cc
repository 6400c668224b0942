#include "embedded/database_place.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

namespace hapax::engine {
namespace {

namespace fs = std::filesystem;

std::string this_boot() {
  std::string id;
  std::ifstream{"/proc/sys/kernel/random/boot_id"} >> id;
  return id;
}

}  // namespace

fs::path real_path(const fs::path& path) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), failed);
  return failed ? path : whole;  // Opening it will say what is wrong.
}

Result<DatabasePlace> DatabasePlace::of(const fs::path& path) {
  struct stat file {};
  struct stat folder {};
  if (stat(path.c_str(), &file) != 0 || stat(path.parent_path().c_str(), &folder) != 0) {
    return error("cannot look at {}: {}", path.string(), std::strerror(errno));
  }
  if (file.st_nlink > 1) {
    return error(
        "the file has {} names (hard links), and members that use another one would be a group of "
        "their own; remove the other names: find DIR -samefile {}",
        file.st_nlink, path.string());
  }
  return DatabasePlace{
      file.st_dev, file.st_ino, folder.st_dev, folder.st_ino, path.filename().string(),
      this_boot()};
}

bool DatabasePlace::is_same_as(const DatabasePlace& other) const {
  if (inode != other.inode || folder_inode != other.folder_inode || name != other.name)
    return false;
  return boot != other.boot || (device == other.device && folder_device == other.folder_device);
}

}  // namespace hapax::engine
