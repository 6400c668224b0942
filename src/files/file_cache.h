// A daemon's copy of all files of its group, as a plain value: what the engine commits comes in,
// and what a reader may be told comes out.
//
// A reader knows of everything up to some revision, and must not be told what is older. It may be
// told what the cache has of a file if the cache has all commits up to that revision, or if the
// file itself was written by a later one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.h"
#include "engine/record.h"
#include "files/stored_file.h"

namespace hapax {

struct CachedFile {
  StoredFile file;
  engine::Version version = 0;
};

struct FileChange {
  enum class Kind : std::uint8_t { added, changed, removed };
  Kind kind = Kind::changed;
  std::string path;
  engine::Version version = 0;  // Of the commit.
  HAPAX_RECORD(FileChange, kind, path, version)
};

class FileCache {
 public:
  // Serves nothing until the next load(): commits may have been missed.
  void forget();
  // All there is.
  void load(const engine::Snapshot& snapshot);
  // The next commit. Those that load() has brought already are passed over.
  // REQUIRES: none was left out since the last load().
  std::vector<FileChange> apply(const engine::Commit& commit);
  // A commit of our own, which the watch will bring later: nobody has to wait for that. The
  // revision stays, since others' may have come before it.
  void note(const std::string& path, StoredFile file, engine::Version version);

  bool is_loaded() const { return is_loaded_; }
  engine::Revision revision() const { return revision_; }
  std::size_t bytes() const { return bytes_; }  // Of paths and contents.
  std::size_t size() const { return files_.size(); }

  // Whether whoever knows of `at_least` may be told of that path, and of all of them.
  bool may_tell(std::string_view path, engine::Revision at_least) const;
  bool may_tell_all(engine::Revision at_least) const { return is_loaded_ && revision_ >= at_least; }
  const CachedFile* find(std::string_view path) const;  // Null: there is none.
  // In that folder, by path, as of revision().
  void for_each_in(std::string_view folder,
                   const std::function<void(const std::string&, const CachedFile&)>& look) const;
  // Those whose owner is such a one.
  std::vector<std::string> owned(const std::function<bool(const FileOwner&)>& is_such) const;

 private:
  using Files = std::map<std::string, CachedFile, std::less<>>;

  void put(const std::string& path, CachedFile file);
  void erase(const std::string& path);

  engine::Revision revision_ = 0;  // All commits up to this one are in …
  Files files_;
  Files noted_;  // … and some of later ones here.
  bool is_loaded_ = false;
  std::uint64_t bytes_ = 0;
};

}  // namespace hapax
