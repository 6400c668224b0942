// The files that a client has read, to be read again without asking its daemon: as long as the
// daemon's stamps say that it would answer the same (file_stamps.h). Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "session/file_records.h"
#include "session/file_stamps.h"

namespace hapax::session {

class FileCopies {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20;

  // True once, when it is worth while to ask the daemon for its stamps: not for a single read.
  bool wants_stamps();
  // May be null.
  void use(std::unique_ptr<const FileStamps> stamps);

  // What the daemon would tell now, if that is known, to a client that knows of `at_least`.
  std::optional<FileTold> find(const std::string& path, std::uint64_t at_least) const;
  // Before the daemon is asked, and with its answer.
  FileStamps::Stamp stamp_of(const std::string& path) const;
  void keep(const std::string& path, FileStamps::Stamp stamp, const FileTold& told);

 private:
  struct Copy {
    FileStamps::Stamp stamp;
    FileTold told;
  };

  mutable std::mutex mutex_;
  std::unique_ptr<const FileStamps> stamps_;  // Null: no copy can be known to be good.
  std::map<std::string, Copy> copies_;
  std::size_t bytes_ = 0;
  int reads_ = 0;
};

}  // namespace hapax::session
