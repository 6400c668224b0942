// What clients of files saw, and whether it keeps what docs/cell.md promises. As with locks, events
// take time, and a finding is only what no order within these times explains.
//
// Versions order the writes of all files: each is the revision of a commit. So nothing has to be
// searched for:
//   - a write that began when another had returned has the larger version, and no two have one;
//   - a compare-and-swap succeeded on exactly the version before its own;
//   - a client never reads older than it has seen or written, of whichever file: once it knows of
//     revision 12, what was written at 11 is there;
//   - a fresh read is no older than what had been acknowledged when it began;
//   - what is read at a version is what was written there, and was not read before it was begun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hapax::audit {

enum class FileOp : std::uint8_t { get, put, cas, remove };

struct FileEvent {
  std::string client;
  std::string file;
  FileOp op{};
  std::int64_t call = 0;
  std::optional<std::int64_t> ret;  // None: it was begun, and nobody knows how it ended.
  // Of a write: whether it was done; a conflict is not, and an outcome that nobody knows has no
  // `ret`. Of a read: always.
  bool ok = true;
  std::uint64_t version = 0;   // Read or written; of a read 0: there was none.
  std::uint64_t expected = 0;  // Of a cas.
  std::string content;         // Read or written.
  bool fresh = false;          // Of a read.
  bool copied = false;         // Of a read: of the client's own copy, without asking.

  bool is_write() const { return op != FileOp::get; }
};

enum class FileKind : std::uint8_t {
  order,      // Writes have versions in another order than they happened, or one of two.
  cas,        // One succeeded although the file had another version.
  stale,      // A client read what is older than what it knew.
  not_fresh,  // A fresh read did not see what had been acknowledged.
  content     // What was read is not what was written, or was not yet.
};
inline constexpr std::size_t kFileKinds = 5;
std::string_view name_of(FileKind kind);

struct FileFinding {
  FileKind kind{};
  std::string file;
  std::int64_t at = 0;
  std::string text;
};

// One event as a JSON object, with client, file, op (get, put, cas, remove), call, ret, ok,
// version, expected, content, fresh and copied.
Result<FileEvent> file_event_in(std::string_view json);

using FileFindings = std::vector<FileFinding>;
// At most a thousand.
FileFindings judge_files(const std::vector<FileEvent>& events);

}  // namespace hapax::audit
