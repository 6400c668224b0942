#include "session/file_copies.h"

#include <utility>

namespace hapax::session {

bool FileCopies::wants_stamps() {
  const std::lock_guard lock{mutex_};
  return reads_ <= 1 && ++reads_ == 2;
}

void FileCopies::use(std::unique_ptr<const FileStamps> stamps) {
  const std::lock_guard lock{mutex_};
  stamps_ = std::move(stamps);
  copies_.clear();
  bytes_ = 0;
}

std::optional<FileTold> FileCopies::find(const std::string& path, std::uint64_t at_least) const {
  const std::lock_guard lock{mutex_};
  if (!stamps_) return std::nullopt;
  const auto at = copies_.find(path);
  if (at == copies_.end()) return std::nullopt;
  // First up to where all changes are stamped, then the stamp: so what we have is what it was then.
  const std::uint64_t revision = stamps_->revision();
  const FileTold& told = at->second.told;
  const bool is_new_enough = revision >= at_least || told.version >= at_least;
  if (revision == 0 || !is_new_enough || stamps_->of(path) != at->second.stamp) {
    return std::nullopt;
  }
  return told;
}

FileStamps::Stamp FileCopies::stamp_of(const std::string& path) const {
  const std::lock_guard lock{mutex_};
  return stamps_ ? stamps_->of(path) : FileStamps::Stamp{};
}

void FileCopies::keep(const std::string& path, FileStamps::Stamp stamp, const FileTold& told) {
  const std::lock_guard lock{mutex_};
  // A stamp of before there were any is that of no page.
  if (!stamps_ || stamp == FileStamps::Stamp{}) return;
  const auto size = [&](const FileTold& one) { return path.size() + one.content.size(); };
  if (const auto at = copies_.find(path); at != copies_.end()) {
    bytes_ -= size(at->second.told);
    copies_.erase(at);
  }
  if (bytes_ + size(told) > kMostBytes) {
    copies_.clear();
    bytes_ = 0;
  }
  bytes_ += size(told);
  copies_.emplace(path, Copy{stamp, told});
}

}  // namespace hapax::session
