// What a daemon answers, as include/hapax shows it.
#pragma once

#include <optional>
#include <vector>

#include "hapax/client.h"
#include "hapax/election.h"
#include "session/protocol.h"

namespace hapax::client {

// As people count, and as all below does.
std::vector<std::uint32_t> counted_from_one(std::vector<std::uint32_t> members);
std::vector<LockInfo> locks_of(std::vector<session::Lock>&& locks);
GroupStatus status_of(session::State&& state);
MemberStats stats_of(session::Stats&& stats);
Election::Change change_of(const std::optional<session::Leader>& leader);

}  // namespace hapax::client
