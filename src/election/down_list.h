// The members that one has been told are down. Usually few are, so the list costs only what it
// holds, however many members there are.
#pragma once

#include <algorithm>
#include <vector>

#include "base/ids.h"
#include "base/record.h"

namespace hapax {

struct DownList {
  std::vector<NodeId> ids;  // Invariant: ascending, none twice.

  HAPAX_RECORD(DownList, ids)

  bool contains(NodeId id) const { return std::binary_search(ids.begin(), ids.end(), id); }

  // True if `id` was not there before.
  bool insert(NodeId id) {
    const auto at = std::lower_bound(ids.begin(), ids.end(), id);
    if (at != ids.end() && *at == id) return false;
    ids.insert(at, id);
    return true;
  }
  // True if `id` was there before.
  bool erase(NodeId id) {
    const auto at = std::lower_bound(ids.begin(), ids.end(), id);
    if (at == ids.end() || *at != id) return false;
    ids.erase(at);
    return true;
  }
  void clear() { ids.clear(); }
};

}  // namespace hapax
