// Which part of a commit, or of a store, a prefix selects.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/record.h"

namespace hapax::engine {

inline bool under_any(const std::vector<std::string>& prefixes, std::string_view key) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return key.starts_with(prefix); });
}

// Nothing, if the commit changed nothing there.
inline std::optional<Commit> part_under(std::string_view prefix, const Commit& commit) {
  Commit part{commit.revision, {}};
  for (const Write& write : commit.writes) {
    if (write.key.starts_with(prefix)) part.writes.push_back(write);
  }
  if (part.writes.empty()) return std::nullopt;
  return part;
}

inline void sort_by_key(std::vector<Write>& writes) {
  std::sort(writes.begin(), writes.end(),
            [](const Write& a, const Write& b) { return a.key < b.key; });
}

}  // namespace hapax::engine
