#include "files/file_cache.h"

#include <utility>

#include "core/file_path.h"

namespace hapax {

void FileCache::forget() { *this = {}; }

void FileCache::load(const engine::Snapshot& snapshot) {
  forget();
  for (const engine::Record& record : snapshot.records) {
    const auto path = path_of_key(record.key);
    auto file = path ? stored_file_in(record.value) : std::nullopt;
    if (file) put(*path, {std::move(*file), record.version});
  }
  revision_ = snapshot.revision;
  is_loaded_ = true;
}

std::vector<FileChange> FileCache::apply(const engine::Commit& commit) {
  std::vector<FileChange> changes;
  if (!is_loaded_ || commit.revision <= revision_) return changes;
  revision_ = commit.revision;
  for (const engine::Write& write : commit.writes) {
    const auto path = path_of_key(write.key);
    if (!path) continue;
    auto file = write.value ? stored_file_in(*write.value) : std::nullopt;
    const bool was_there = files_.contains(*path);
    if (!file && !was_there) continue;  // Not one of ours, before or now.
    using Kind = FileChange::Kind;
    changes.push_back({!file       ? Kind::removed
                       : was_there ? Kind::changed
                                   : Kind::added,
                       *path, commit.revision});
    if (file) {
      put(*path, {std::move(*file), commit.revision});
    } else {
      erase(*path);
    }
  }
  std::erase_if(noted_, [&](const auto& noted) { return noted.second.version <= revision_; });
  return changes;
}

void FileCache::note(const std::string& path, StoredFile file, engine::Version version) {
  const CachedFile* before = find(path);
  if (!is_loaded_ || version <= revision_ || (before != nullptr && before->version > version)) {
    return;
  }
  noted_[path] = {std::move(file), version};
}

bool FileCache::may_tell(std::string_view path, engine::Revision at_least) const {
  const CachedFile* file = find(path);
  return may_tell_all(at_least) || (is_loaded_ && file != nullptr && file->version >= at_least);
}

const CachedFile* FileCache::find(std::string_view path) const {
  if (const auto noted = noted_.find(path); noted != noted_.end()) return &noted->second;
  const auto at = files_.find(path);
  return at == files_.end() ? nullptr : &at->second;
}

void FileCache::for_each_in(
    std::string_view folder,
    const std::function<void(const std::string&, const CachedFile&)>& look) const {
  for (auto at = files_.lower_bound(folder);
       at != files_.end() && std::string_view{at->first}.starts_with(folder); ++at) {
    if (is_in_folder(at->first, folder)) look(at->first, at->second);
  }
}

std::vector<std::string> FileCache::owned(
    const std::function<bool(const FileOwner&)>& is_such) const {
  std::vector<std::string> paths;
  for (const auto& [path, cached] : files_) {
    if (cached.file.owner && is_such(*cached.file.owner)) paths.push_back(path);
  }
  return paths;
}

void FileCache::put(const std::string& path, CachedFile file) {
  erase(path);
  bytes_ += path.size() + file.file.content.size();
  files_.emplace(path, std::move(file));
}

void FileCache::erase(const std::string& path) {
  const auto at = files_.find(path);
  if (at == files_.end()) return;
  bytes_ -= path.size() + at->second.file.content.size();
  files_.erase(at);
}

}  // namespace hapax
