#include "node/node_config.h"

namespace hapax {

Result<void> check(const NodeConfig& config) {
  if (config.members.empty()) return error("a group needs members");
  if (number(config.self) >= config.members.size()) {
    return error("there is no member {}: the group has {}", number(config.self) + 1,
                 config.members.size());
  }
  for (const net::Address& address : config.clients) {
    if (!address.is_local()) {
      return error(
          "clients are served on this machine only so far, not at {}; use unix:/path or a "
          "loopback address",
          address.text());
    }
  }
  return {};
}

net::MeshOptions mesh_options_of(const NodeConfig& config) {
  net::MeshOptions options;
  options.self = config.self;
  options.members = config.members;
  options.listen = config.listen;
  options.group = config.group;
  options.epoch = config.epoch;
  options.tls = config.tls;
  return options;
}

}  // namespace hapax
