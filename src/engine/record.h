// What an engine keeps: a few small records, each with a version; and what is asked and told about
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.h"
#include "base/result.h"

namespace hapax::engine {

using hapax::operator==;  // Of records, found by their own namespace.

// Of the whole store. Grows with every commit that changes something.
using Revision = std::uint64_t;
// Of a record: the revision of the commit that wrote it last. So it only grows, even across a
// delete and a create; and the answer to a commit tells the version of what it wrote.
using Version = std::uint64_t;

inline constexpr Version kAbsent = 0;                                    // There is no such record.
inline constexpr Version kExists = std::numeric_limits<Version>::max();  // In conditions only.

struct Record {
  std::string key;
  std::string value;
  Version version = kAbsent;
  HAPAX_RECORD(Record, key, value, version)
};

// The records as they were all at once, by key.
struct Snapshot {
  Revision revision = 0;
  std::vector<Record> records;
  HAPAX_RECORD(Snapshot, revision, records)

  // Nothing, if there is no such record.
  const Record* find(std::string_view key) const;
};

struct Condition {
  std::string key;
  Version version = kAbsent;  // This one; or kAbsent; or kExists: there, in any version.
  HAPAX_RECORD(Condition, key, version)

  bool holds(Version actual) const {
    return version == kExists ? actual != kAbsent : actual == version;
  }
};

struct Write {
  std::string key;
  std::optional<std::string> value;  // Nothing: delete. Deleting what is not there changes nothing.
  HAPAX_RECORD(Write, key, value)
};

// What one commit changed, by key.
struct Commit {
  Revision revision = 0;
  std::vector<Write> writes;
  HAPAX_RECORD(Commit, revision, writes)
};

// What every engine takes; smaller than the limits that etcd (1.5 MB) and ZooKeeper (1 MB, where a
// value stands in a commit twice) come with. A value has room for 256 KiB and what we say of them.
inline constexpr std::size_t kKeyBytes = 514;
inline constexpr std::size_t kValueBytes = std::size_t{260} << 10;
inline constexpr std::size_t kCommitBytes = std::size_t{264} << 10;  // Keys and values together.
inline constexpr std::size_t kCommitWrites = 48;      // etcd: at most 128 operations, …
inline constexpr std::size_t kCommitConditions = 48;  // … and as many comparisons.
inline constexpr std::size_t kReadPrefixes = 32;

// Whether a commit or a read may be asked for: sizes, no empty key, no key written twice. For
// callers that pass on what users wrote; engines abort on what is not admissible.
Result<void> admissible(const std::vector<Condition>& conditions, const std::vector<Write>& writes);
Result<void> admissible(const std::vector<std::string>& prefixes);

}  // namespace hapax::engine
