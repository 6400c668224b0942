// Where a database file is, as the file itself remembers it. SQLite keeps a journal beside the
// file, under the name by which it was opened: under a second name (a hard link, a bind mount of
// the file) the same file would be another database, and so another group; a copy is one, too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace hapax::engine {

struct DatabasePlace {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t folder_device = 0;
  std::uint64_t folder_inode = 0;
  std::string name;  // In that folder.
  std::string boot;  // When that was: numbers of devices change with the next one.

  // An error if the file has several names. REQUIRES: it is there, and `path` a real one.
  static Result<DatabasePlace> of(const std::filesystem::path& path);
  bool is_same_as(const DatabasePlace& other) const;
};

// Without links and relative parts; the file itself need not be there yet.
std::filesystem::path real_path(const std::filesystem::path& path);

}  // namespace hapax::engine
