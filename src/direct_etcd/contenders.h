// Keys of etcd as contenders in a line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "direct/server.h"
#include "hapax/client.h"
#include "hapax/election.h"

namespace hapax::engine::etcd {
class RangeResponse;
}

namespace hapax::direct {

// NAME/<lease>-<number>, in hexadecimal digits. Go's clients have no number: two requests of one
// session are one to them, and both are let in at once.
std::string own_key(const Session& session, const Contender& contender);

// Whether that key stands in the line of that name: NAME/orders/… is in that of NAME/orders.
bool is_contender(std::string_view name, std::string_view key);

// Of keys in the order of their creation.
std::vector<LockInfo> locks_of(const engine::etcd::RangeResponse& keys, const std::string& pattern);
std::optional<Leader> leader_of(const engine::etcd::RangeResponse& keys, const std::string& name);

}  // namespace hapax::direct
