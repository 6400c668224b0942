#include "files/file_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace hapax {
namespace {

constexpr int kMostConflicts = 20;  // With others, for one write that does not say a version.

using Done = session::FileDone;

Done outcome(Done::Outcome what, engine::Version version, std::string why = {}) {
  return {0, what, version, version, std::move(why)};
}

}  // namespace

void FileWriter::add(FileWrite write) {
  if (waiting_.size() >= kMostWaiting) {
    return write.done(
        error("this daemon has {} writes of files to do; try again in a moment", waiting_.size()));
  }
  waiting_.push_back(std::make_shared<FileWrite>(std::move(write)));
  begin();
}

void FileWriter::begin() {
  while (under_way_ < kAtOnce && !waiting_.empty()) {
    const Shared write = std::move(waiting_.front());
    waiting_.pop_front();
    ++under_way_;
    const CachedFile* cached = cache_.is_loaded() ? cache_.find(write->path) : nullptr;
    if (cached != nullptr) {
      consider(write, {cached->version, cached->file, false});
    } else {
      look(write);
    }
  }
}

void FileWriter::look(const Shared& write) {
  const std::string key = key_of_file(write->path);
  engine_.read({key}, [this, write, key](const Result<engine::Snapshot>& seen) {
    if (!seen) return end(write, error("the engine does not answer: {}", seen.error().message));
    const engine::Record* record = seen->find(key);
    if (record == nullptr) return consider(write, {engine::kAbsent, {}, true});
    auto file = stored_file_in(record->value);
    if (!file) {
      return end(write, error("the engine has a record '{}' that hapax did not write", key));
    }
    consider(write, {record->version, std::move(*file), true});
  });
}

void FileWriter::consider(const Shared& write, const Found& found) {
  const auto no = objection(*write, found);
  if (!no) return commit(write, found);
  found.is_of_engine ? end(write, *no) : look(write);
}

std::optional<Result<Done>> FileWriter::objection(const FileWrite& write,
                                                  const Found& found) const {
  const bool is_there = found.version != engine::kAbsent;
  if (write.version && *write.version != found.version) {
    return outcome(Done::Outcome::conflict, found.version);
  }
  if (!write.content && !is_there) return outcome(Done::Outcome::absent, 0);
  if (write.fence && found.file.fence && *write.fence < *found.file.fence) {
    return outcome(Done::Outcome::stale, found.version,
                   fmt::format("a later holder, with fence {}, has written {}",
                               to_string(*found.file.fence), write.path));
  }
  if (write.owner && is_there && found.file.owner != write.owner) {
    return error("{} is there already, and not this session's: remove it first", write.path);
  }
  const std::size_t bytes = write.content ? write.content->size() + write.path.size() : 0;
  const bool is_too_much = !is_there && cache_.size() >= kMostFiles;
  if (write.content &&
      (is_too_much ||
       cache_.bytes() + bytes > kMostBytes + (is_there ? found.file.content.size() : 0))) {
    return error("the group has {} files of {} bytes together; there is room for {} and {} bytes",
                 cache_.size(), cache_.bytes(), kMostFiles, kMostBytes);
  }
  return std::nullopt;
}

void FileWriter::commit(const Shared& write, const Found& found) {
  const std::string key = key_of_file(write->path);
  std::optional<StoredFile> next;
  if (write->content) {
    next = StoredFile{*write->content, found.file.fence, found.file.owner};
    if (write->fence) next->fence = std::max(found.file.fence.value_or(Fence{}), *write->fence);
    if (write->owner) next->owner = write->owner;
  }
  std::optional<std::string> text;
  if (next) text = text_of(*next);
  engine_.commit(
      {{key, found.version}}, {{key, std::move(text)}},
      [this, write, next = std::move(next)](engine::Outcome how, engine::Revision revision) {
        if (how == engine::Outcome::conflict) {
          if (++write->conflicts < kMostConflicts) return look(write);
          return end(write, error("others write {} all the time; try again", write->path));
        }
        if (how == engine::Outcome::unknown) {
          return end(write, outcome(Done::Outcome::unknown, 0,
                                    fmt::format("the engine did not answer in time ({})",
                                                engine_.health().said)));
        }
        Done done = outcome(Done::Outcome::done, next ? revision : 0);
        done.revision = revision;
        if (next) cache_.note(write->path, *next, revision);
        written_(write->path);
        end(write, done);
      });
}

void FileWriter::end(const Shared& write, const Result<Done>& how) {
  --under_way_;
  write->done(how);
  begin();
}

}  // namespace hapax
