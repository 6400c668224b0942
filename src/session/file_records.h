// What a client and its daemon say about files: part of protocol.h, since version 12.
//
// A client never reads older than it has read or written. So it keeps the highest `revision` that
// it was told, and says it with every question (`at_least`): a daemon whose cache is behind that
// asks the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/record.h"
#include "core/fence.h"
#include "core/file_path.h"

namespace hapax::session {

using RequestId = std::uint64_t;

// Of a FilePut; all other questions have at most kLargestAsk.
inline constexpr std::size_t kLargestPut = kLargestFile + 2048;

// --- from the client ---

// Answered by FileTold, or Refused.
struct FileGet {
  static constexpr std::uint32_t kSince = 12;
  RequestId request = 0;
  std::string path;
  std::uint64_t at_least = 0;
  bool fresh = false;  // Asks the engine.
  HAPAX_RECORD(FileGet, request, path, at_least, fresh)
};
// Answered by FileDone, or Refused, and then nothing was written.
struct FilePut {
  static constexpr std::uint32_t kSince = 12;
  RequestId request = 0;
  std::string path;
  std::string content;
  std::optional<std::uint64_t> version;  // Only if the file has it; 0: if there is none.
  std::optional<Fence> fence;            // Of the lock of that name, which the writer holds.
  bool ephemeral = false;                // It goes with this session.
  HAPAX_RECORD(FilePut, request, path, content, version, fence, ephemeral)
};
// The same.
struct FileRemove {
  static constexpr std::uint32_t kSince = 12;
  RequestId request = 0;
  std::string path;
  std::optional<std::uint64_t> version;
  HAPAX_RECORD(FileRemove, request, path, version)
};
// All files in that folder, at any depth. Answered by FileNames, or Refused.
struct FileList {
  static constexpr std::uint32_t kSince = 12;
  RequestId request = 0;
  std::string path;  // Empty: all.
  std::uint64_t at_least = 0;
  bool fresh = false;
  HAPAX_RECORD(FileList, request, path, at_least, fresh)
};
// Whether that fence is the present holder's. Answered by FenceTold, or Refused.
struct FenceCheck {
  static constexpr std::uint32_t kSince = 12;
  RequestId request = 0;
  std::string name;  // Of a lock.
  Fence fence;
  HAPAX_RECORD(FenceCheck, request, name, fence)
};

// --- from the daemon ---

struct FileTold {
  static constexpr std::uint32_t kSince = 12;
  RequestId request = 0;
  std::uint64_t version = 0;  // 0: there is no such file.
  std::string content;
  std::optional<Fence> fence;  // The highest that wrote it.
  bool ephemeral = false;
  std::uint64_t revision = 0;  // What its reader knows from now on.
  HAPAX_RECORD(FileTold, request, version, content, fence, ephemeral, revision)
};
struct FileDone {
  static constexpr std::uint32_t kSince = 12;
  enum class Outcome : std::uint8_t {
    done,
    conflict,  // It has another version, and was left as it is.
    absent,    // There is nothing to remove.
    stale,     // The fence is not that of the present holder: it was left as it is.
    unknown,   // It may have been done, and it may still be.
  };
  friend constexpr bool is_valid(Outcome o) { return o <= Outcome::unknown; }
  RequestId request = 0;
  Outcome outcome = Outcome::done;
  std::uint64_t version = 0;   // That it has now; 0: none, or not known.
  std::uint64_t revision = 0;  // What its writer knows from now on.
  std::string why;             // For people.
  HAPAX_RECORD(FileDone, request, outcome, version, revision, why)
};
struct FileEntry {
  std::string path;
  std::uint64_t version = 0;
  std::uint64_t bytes = 0;
  bool ephemeral = false;
  HAPAX_RECORD(FileEntry, path, version, bytes, ephemeral)
};
struct FileNames {
  static constexpr std::uint32_t kSince = 12;
  RequestId request = 0;
  std::vector<FileEntry> files;  // By path.
  std::uint64_t revision = 0;
  HAPAX_RECORD(FileNames, request, files, revision)
};
struct FenceTold {
  static constexpr std::uint32_t kSince = 12;
  enum class Standing : std::uint8_t {
    present,  // It was, when its member was asked.
    past,     // All members have answered, or somebody else holds the lock.
    unknown,  // Nobody who answered holds it, but not all have.
  };
  friend constexpr bool is_valid(Standing s) { return s <= Standing::unknown; }
  RequestId request = 0;
  Standing standing = Standing::unknown;
  std::string why;  // For people.
  HAPAX_RECORD(FenceTold, request, standing, why)
};

}  // namespace hapax::session
