// What an engine does, as a plain value: no clock, no thread, no network. The fake engine drives
// it; losing an answer is the fake's doing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.h"
#include "engine/record.h"

namespace hapax::engine {

class Store {
 public:
  Store() = default;
  // Keeps the last `log_kept` commits for watches.
  explicit Store(std::uint64_t log_kept) : log_kept_(log_kept) {}

  Revision revision() const { return revision_; }
  const std::vector<Record>& records() const { return records_; }  // By key.
  Version version_of(std::string_view key) const;                  // kAbsent, if it is not there.

  Snapshot read(const std::vector<std::string>& prefixes) const;

  // The revision, as a CommitCallback is told it; nothing: a conflict.
  // REQUIRES: admissible(conditions, writes).
  std::optional<Revision> commit(const std::vector<Condition>& conditions,
                                 const std::vector<Write>& writes);

  // The commits under the prefix after `from`; nothing: no longer known, or not yet.
  std::optional<std::vector<Commit>> since(std::string_view prefix, Revision from) const;
  // Forgets the commits up to now, as engines do when they compact.
  void compact();

  HAPAX_RECORD(Store, revision_, records_, log_, forgotten_, log_kept_)

 private:
  bool apply(const Write& write, Revision revision);  // False if it changes nothing.

  Revision revision_ = 0;
  std::vector<Record> records_;  // By key.
  std::vector<Commit> log_;
  Revision forgotten_ = 0;  // Commits up to this one are not in the log.
  std::uint64_t log_kept_ = 1024;
};

}  // namespace hapax::engine
