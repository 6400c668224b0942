#include "engine/store.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/commit.h"

namespace hapax::engine {
namespace {

auto at_key(const std::vector<Record>& records, std::string_view key) {
  return std::lower_bound(records.begin(), records.end(), key,
                          [](const Record& r, std::string_view k) { return r.key < k; });
}

}  // namespace

Version Store::version_of(std::string_view key) const {
  const auto at = at_key(records_, key);
  return at != records_.end() && at->key == key ? at->version : kAbsent;
}

Snapshot Store::read(const std::vector<std::string>& prefixes) const {
  Snapshot snapshot{revision_, {}};
  for (const Record& record : records_) {
    if (under_any(prefixes, record.key)) snapshot.records.push_back(record);
  }
  return snapshot;
}

std::optional<Revision> Store::commit(const std::vector<Condition>& conditions,
                                      const std::vector<Write>& writes) {
  HAPAX_CHECK(admissible(conditions, writes).has_value());
  for (const Condition& condition : conditions) {
    if (!condition.holds(version_of(condition.key))) return std::nullopt;
  }
  Commit commit{revision_ + 1, {}};
  for (const Write& write : writes) {
    if (apply(write, commit.revision)) commit.writes.push_back(write);
  }
  if (commit.writes.empty()) return revision_;
  sort_by_key(commit.writes);
  revision_ = commit.revision;
  log_.push_back(std::move(commit));
  while (log_.size() > log_kept_) {
    forgotten_ = log_.front().revision;
    log_.erase(log_.begin());
  }
  return revision_;
}

bool Store::apply(const Write& write, Revision revision) {
  const auto at = records_.begin() + (at_key(records_, write.key) - records_.cbegin());
  const bool there = at != records_.end() && at->key == write.key;
  if (!write.value) {
    if (there) records_.erase(at);
    return there;
  }
  if (there) {
    at->value = *write.value;
    at->version = revision;
  } else {
    records_.insert(at, Record{write.key, *write.value, revision});
  }
  return true;
}

std::optional<std::vector<Commit>> Store::since(std::string_view prefix, Revision from) const {
  if (from < forgotten_ || from > revision_) return std::nullopt;
  std::vector<Commit> commits;
  for (const Commit& commit : log_) {
    if (commit.revision <= from) continue;
    if (auto seen = part_under(prefix, commit)) commits.push_back(std::move(*seen));
  }
  return commits;
}

void Store::compact() {
  log_.clear();
  forgotten_ = revision_;
}

}  // namespace hapax::engine
