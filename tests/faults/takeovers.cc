#include "faults/takeovers.h"

#include <algorithm>

#include "audit/holds.h"

namespace hapax::faults {

std::vector<Takeover> takeovers(const audit::History& history, const std::vector<Kill>& kills,
                                const std::map<std::string, std::size_t>& member_of_client) {
  const std::vector<audit::Hold> holds = audit::holds_of(history.in_order());  // By lock and time.
  std::vector<Takeover> all;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    const audit::Hold& hold = holds[i];
    const auto member = member_of_client.find(history.name_of(hold.client));
    if (member == member_of_client.end()) continue;
    for (const Kill& kill : kills) {
      if (kill.member != member->second || hold.ret > kill.at || hold.end < kill.at) continue;
      for (std::size_t next = i + 1; next < holds.size() && holds[next].lock == hold.lock; ++next) {
        if (holds[next].ret <= kill.at) continue;
        all.push_back({holds[next].ret - kill.at, holds[next].ret <= kill.alone_until});
        break;
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Takeover& a, const Takeover& b) { return a.took < b.took; });
  return all;
}

}  // namespace hapax::faults
