#include "daemon/node_config.h"

namespace hapax {

Result<void> check(const NodeConfig& config) {
  if (!config.engine && config.members.empty()) return error("a group needs members");
  if (!config.engine && number(config.self) >= config.members.size()) {
    return error("there is no member {}: the group has {}", number(config.self) + 1,
                 config.members.size());
  }
  for (const net::Address& address : config.clients) {
    if (!address.is_local() && !config.tls) {
      return error(
          "clients cannot be served at {}: it is not on this machine, and without TLS anybody on "
          "the way could read and forge; give certificates (`hapax certs` makes them) or use "
          "loopback or unix: addresses",
          address.text());
    }
  }
  return {};
}

}  // namespace hapax
