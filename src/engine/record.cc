#include "engine/record.h"

#include <algorithm>
#include <set>

namespace hapax::engine {
namespace {

Result<void> admissible_key(const std::string& key) {
  if (key.empty()) return error("an engine's key is empty; name the record");
  if (key.size() > kKeyBytes) {
    return error("a key of {} bytes is too long; use at most {}", key.size(), kKeyBytes);
  }
  return {};
}

Result<void> at_most(std::size_t limit, std::size_t count, const char* what) {
  if (count <= limit) return {};
  return error("{} {} at once are too many; use at most {}", count, what, limit);
}

}  // namespace

const Record* Snapshot::find(std::string_view key) const {
  const auto at = std::lower_bound(records.begin(), records.end(), key,
                                   [](const Record& r, std::string_view k) { return r.key < k; });
  return at != records.end() && at->key == key ? &*at : nullptr;
}

Result<void> admissible(const std::vector<Condition>& conditions,
                        const std::vector<Write>& writes) {
  if (auto few = at_most(kCommitConditions, conditions.size(), "conditions"); !few) return few;
  if (auto few = at_most(kCommitWrites, writes.size(), "writes"); !few) return few;
  std::size_t bytes = 0;
  for (const Condition& condition : conditions) {
    if (auto key = admissible_key(condition.key); !key) return key;
  }
  std::set<std::string_view> written;
  for (const Write& write : writes) {
    if (auto key = admissible_key(write.key); !key) return key;
    if (!written.insert(write.key).second) {
      return error("'{}' is written twice in one commit; write it once", write.key);
    }
    bytes += write.key.size();
    if (!write.value) continue;
    if (write.value->size() > kValueBytes) {
      return error("a value of {} bytes is too long for '{}'; use at most {}", write.value->size(),
                   write.key, kValueBytes);
    }
    bytes += write.value->size();
  }
  return at_most(kCommitBytes, bytes, "bytes");
}

Result<void> admissible(const std::vector<std::string>& prefixes) {
  if (auto few = at_most(kReadPrefixes, prefixes.size(), "prefixes"); !few) return few;
  if (prefixes.empty()) return error("a read without a prefix finds nothing; name one");
  for (const std::string& prefix : prefixes) {
    if (prefix.size() > kKeyBytes) {
      return error("a prefix of {} bytes is too long; use at most {}", prefix.size(), kKeyBytes);
    }
  }
  return {};
}

}  // namespace hapax::engine
