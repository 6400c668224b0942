// Writes files: each is a commit on the condition that the file is as it was when it was looked at,
// since what it has besides its content (the highest fence, its owner) must not be lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/engine.h"
#include "files/file_cache.h"
#include "session/file_records.h"

namespace hapax {

// One write, from when it is asked for until it is answered.
struct FileWrite {
  std::string path;
  std::optional<std::string> content;    // Nothing: remove it.
  std::optional<std::uint64_t> version;  // Only if it has this; 0: if there is none.
  std::optional<Fence> fence;
  std::optional<FileOwner> owner;  // It is to be that session's.
  // Once: how it went, without the request; or an error, and then nothing was written.
  std::function<void(Result<session::FileDone>)> done;
  int conflicts = 0;
};

class FileWriter {
 public:
  static constexpr std::size_t kAtOnce = 4;        // Commits; beats must not wait behind many.
  static constexpr std::size_t kMostWaiting = 64;  // That have not begun.
  static constexpr std::size_t kMostFiles = 4'096;
  static constexpr std::size_t kMostBytes = std::size_t{32}
                                            << 20;  // Of all files, and their paths.

  using Written = std::function<void(const std::string& path)>;

  // `written` is called before anybody is told of it. REQUIRES: engine and cache outlive it; no
  // callback of the engine comes after it is gone.
  FileWriter(engine::Engine& engine, FileCache& cache, Written written)
      : engine_(engine), cache_(cache), written_(std::move(written)) {}

  void add(FileWrite write);

 private:
  using Shared = std::shared_ptr<FileWrite>;
  // What a write finds. Of the cache it may be old: nothing is refused because of that.
  struct Found {
    engine::Version version = engine::kAbsent;
    StoredFile file;
    bool is_of_engine = false;
  };

  void begin();
  void look(const Shared& write);
  void consider(const Shared& write, const Found& found);
  // Why it cannot be done to that; nothing if it can.
  std::optional<Result<session::FileDone>> objection(const FileWrite& write,
                                                     const Found& found) const;
  void commit(const Shared& write, const Found& found);
  void end(const Shared& write, const Result<session::FileDone>& how);

  engine::Engine& engine_;
  FileCache& cache_;
  const Written written_;
  std::deque<Shared> waiting_;
  std::size_t under_way_ = 0;
};

}  // namespace hapax
