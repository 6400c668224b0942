#include "direct_redis/redis_gateway.h"

#include <set>
#include <utility>
#include <vector>

#include "base/no_signals.h"
#include "direct/address.h"
#include "direct/direct_gateway.h"
#include "direct_redis/redis_lines.h"
#include "engine/url.h"

namespace hapax::direct {
namespace {

constexpr std::uint16_t kUsualPort = 6379;

std::vector<RedisServer> servers_of(const std::string& address, const ClientOptions& options) {
  const auto endpoints = engine::parse_endpoints(
      std::string_view{address}.substr(std::string_view{"redis://"}.size()), kUsualPort);
  if (!endpoints) bad_address(endpoints.error().message);
  std::set<std::string> all;
  std::vector<RedisServer> servers;
  for (const engine::Endpoint& endpoint : *endpoints) {
    // It would have two votes.
    if (!all.insert(endpoint.text()).second) bad_address(endpoint.text() + " is named twice");
    servers.emplace_back(endpoint, options.engine_user, options.engine_password);
  }
  return servers;
}

}  // namespace

std::unique_ptr<detail::Gateway> open_redis(const std::string& address,
                                            const ClientOptions& options) {
  check_ttl(options);
  if (!options.authority.empty() || !options.certificate.empty() || !options.key.empty()) {
    bad_address("Debian's client library for Redis has no TLS: use a tunnel, or etcd");
  }
  RedlockClient redlock{servers_of(address, options), options.engine_ttl};
  const NoSignals none;  // A server that closes its end must not end the program.
  return std::make_unique<DirectGateway>(address, options.engine_ttl, options.asks_only,
                                         [&redlock](Loop& io) -> std::unique_ptr<Server> {
                                           return std::make_unique<RedisLines>(io,
                                                                               std::move(redlock));
                                         });
}

}  // namespace hapax::direct
