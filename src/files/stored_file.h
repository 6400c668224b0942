// A file as the engine keeps it: under its path and two slashes, so that no key begins with
// another's; a line that says what it is, and then its content as it is.
//
//   config/db//   file fence 3.17 life 4 session 9
//
// Pure. What is in an engine may have been written by anybody: it is decoded strictly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/record.h"
#include "core/fence.h"

namespace hapax {

// The session that an ephemeral file goes with: a client's at its daemon.
struct FileOwner {
  std::uint64_t life = 0;  // Of the daemon.
  std::uint64_t session = 0;
  HAPAX_RECORD(FileOwner, life, session)
};

struct StoredFile {
  std::string content;
  std::optional<Fence> fence;      // The highest that wrote it.
  std::optional<FileOwner> owner;  // Of an ephemeral one.
  HAPAX_RECORD(StoredFile, content, fence, owner)
};

std::string text_of(const StoredFile& file);
// Nothing, if text_of() does not write it so.
std::optional<StoredFile> stored_file_in(std::string_view text);

std::string key_of_file(std::string_view path);
// Nothing, if it is no file's key.
std::optional<std::string> path_of_key(std::string_view key);

}  // namespace hapax
