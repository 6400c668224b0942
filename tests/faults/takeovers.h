// How long a lock was held by nobody after the daemon of its holder had been killed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "audit/history.h"
#include "faults/strikes.h"

namespace hapax::faults {

struct Takeover {
  Nanos took;     // From the kill to the next grant.
  bool is_alone;  // Nothing else had struck meanwhile, or just before.
};

// For each kill and each lock that was held through that daemon; the quickest first.
std::vector<Takeover> takeovers(const audit::History& history, const std::vector<Kill>& kills,
                                const std::map<std::string, std::size_t>& member_of_client);

}  // namespace hapax::faults
