// How long a lock was held by nobody after the daemon of its holder had been killed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "audit/history.h"
#include "faults/strikes.h"

namespace hapax::faults {

// For each kill and each lock that was held through that daemon: from the kill to the next grant.
std::vector<Nanos> takeover_times(const audit::History& history, const std::vector<Kill>& kills,
                                  const std::map<std::string, std::size_t>& member_of_client);

}  // namespace hapax::faults
