#include "files/fence_standing.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace hapax {

session::FenceTold standing_of(Fence fence, std::string_view name, const session::Locks& told) {
  using Standing = session::FenceTold::Standing;
  std::vector<Fence> holders;
  bool has_all = told.silent.empty() && told.more_locks == 0;
  for (const session::Lock& lock : told.locks) {
    if (lock.name != name) continue;  // A name may look like a pattern.
    if (lock.holder && lock.holder->fence) holders.push_back(*lock.holder->fence);
    for (const session::Person& sharer : lock.sharers) {
      if (sharer.fence) holders.push_back(*sharer.fence);
    }
    has_all = has_all && lock.more_sharers == 0;
  }
  if (std::find(holders.begin(), holders.end(), fence) != holders.end()) {
    return {0, Standing::present, ""};
  }
  const bool is_shared = std::any_of(told.locks.begin(), told.locks.end(),
                                     [](const auto& lock) { return !lock.sharers.empty(); });
  // Whoever has a smaller one gave it back after its member had answered.
  if (!holders.empty() && (has_all || (!is_shared && fence < holders.front()))) {
    return {0, Standing::past,
            fmt::format("{} is held with fence {}, not {}", name, to_string(holders.front()),
                        to_string(fence))};
  }
  if (holders.empty() && has_all) {
    return {0, Standing::past, fmt::format("nobody holds {} now", name)};
  }
  return {0, Standing::unknown,
          fmt::format("nobody who answers holds {} with fence {}, but not all members answer, or "
                      "the view changes",
                      name, to_string(fence))};
}

}  // namespace hapax
