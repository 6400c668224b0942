#include "daemon/node_config.h"

namespace hapax {

Result<void> check(const NodeConfig& config) {
  if (!config.engine && config.members.empty()) return error("a group needs members");
  if (!config.engine && number(config.self) >= config.members.size()) {
    return error("there is no member {}: the group has {}", number(config.self) + 1,
                 config.members.size());
  }
  for (const net::Address& address : config.clients) {
    const auto no = net::objection_to_plain(address, config.tls.has_value(), config.is_insecure);
    if (no) return error("clients cannot be served there: {}", no->message);
  }
  return {};
}

}  // namespace hapax
