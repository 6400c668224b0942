// Small files of the group, kept by its engine: configuration, who is master, what all should know.
//
//   hapax::Client client;
//   hapax::File config{client, "config/db"};
//   if (auto now = config.read()) use(now->content);
//   auto version = config.compare_and_swap(now->version, "host=db2");   // nothing: it was changed
//
// A group on an engine has files; a fixed list has none. What is promised, in short (docs/cell.md
// has the rest): writes of a file are in one order, its versions; a Client never reads older than
// it has read or written itself, whichever daemon it asks; others may read what was there before
// for a moment, unless they ask for it fresh.
//
// All functions may be called from any thread. All throw std::system_error: Errc::forbidden,
// Errc::refused with what the daemon says, Errc::lost; and, if it writes, Errc::unknown_outcome,
// which does not mean that it failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hapax/client.h"
#include "hapax/fence.h"

namespace hapax {

// What a file was when it was read.
struct FileContent {
  std::string content;           // Any bytes.
  std::uint64_t version = 0;     // Grows with every write of this file. Never 0.
  std::optional<Fence> fence{};  // The highest that wrote it, if any did.
  bool ephemeral = false;        // It goes with the session that made it.
};

// One of a folder's.
struct FileInfo {
  std::string path;           // All of it.
  std::uint64_t version = 0;  // As FileContent has it.
  std::uint64_t bytes = 0;    // Of its content.
  bool ephemeral = false;     // As FileContent has it.
};

// What a read may be.
enum class Freshness : std::uint8_t {
  cached,  // What the daemon has; no older than what this Client has seen.
  fresh    // What the engine has, no older than the call.
};

// One file of the group, there or not.
class File {
 public:
  static constexpr std::size_t kLargest = std::size_t{256} << 10;  // Bytes of content.

  // Throws std::system_error, Errc::bad_name, if no file can have that path: UTF-8, 1 … 512 bytes,
  // no control characters, something between the slashes, but not one dot or two.
  File(Client& client, std::string_view path);

  // Nothing if there is no such file.
  std::optional<FileContent> read(Freshness freshness = Freshness::cached);

  // How to write, if not just so.
  struct Options {
    std::optional<std::uint64_t> version{};  // Only if it has this one; 0: only if there is none.
    // Of the lock of the same name, which the writer holds: Errc::stale_fence if a larger one has
    // written the file, or if the daemons know that the present holder has another.
    std::optional<Fence> fence{};
    // It goes with this Client: when it ends, or its daemon does. Errc::refused if it is there and
    // not this Client's.
    bool ephemeral = false;
  };
  // The new version. Errc::conflict if the file has not the one that was said.
  std::uint64_t write(std::string_view content, const Options& options);
  // The same, whatever is there.
  std::uint64_t write(std::string_view content) { return write(content, Options{}); }
  // The same, by the holder of the lock of that name.
  std::uint64_t write(std::string_view content, Fence fence) {
    return write(content, {.version = {}, .fence = fence});
  }
  // The new version; nothing if the file has not this one (0: if there is one), and was left as it
  // is.
  std::optional<std::uint64_t> compare_and_swap(std::uint64_t version, std::string_view content);
  // False if there was none. Errc::conflict if it has not the version that was said.
  bool remove(std::optional<std::uint64_t> version = std::nullopt);

  // All files in that folder, at any depth, by path; in the empty one all there are.
  static std::vector<FileInfo> list(Client& client, std::string_view folder,
                                    Freshness freshness = Freshness::cached);

  const std::string& path() const { return path_; }  // Of the group.

 private:
  std::shared_ptr<detail::Gateway> gateway_;
  std::string path_;
};

// Whether a fence is the present holder's.
enum class FenceStanding : std::uint8_t {
  present,  // It was, when its member answered.
  past,     // It is not, and never will be again.
  unknown   // Nobody who answered holds it, but not all members did.
};
// Asks all members who holds that lock: for a server that is handed a fence by a client, as
// Chubby's CheckSequencer. Only a gate that remembers the highest fence is certain at the time of
// the write. `why`, if given, is told more, for people.
FenceStanding check_fence(Client& client, std::string_view lock, Fence fence,
                          std::string* why = nullptr);

}  // namespace hapax
