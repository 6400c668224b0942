#include "direct_zookeeper/zookeeper_gateway.h"

#include <utility>

#include "base/no_signals.h"
#include "direct/address.h"
#include "direct/direct_gateway.h"
#include "direct_zookeeper/zookeeper_lines.h"
#include "zookeeper/zookeeper_engine.h"

namespace hapax::direct {

std::unique_ptr<detail::Gateway> open_zookeeper(const std::string& address,
                                                const ClientOptions& options) {
  const EngineAddress engine = engine_address(address, options);
  std::string servers;
  for (const engine::Endpoint& endpoint : engine.url.endpoints) {
    servers += (servers.empty() ? "" : ",") + endpoint.text();
  }
  const std::string login =
      engine.options.user.empty() ? "" : engine.options.user + ":" + engine.options.password;
  auto units = Units::parse(options.engine_units);
  if (!units) bad_address("--engine-units: " + units.error().message);
  const NoSignals none;  // The threads of ZooKeeper's client run in a user's program.
  return std::make_unique<DirectGateway>(
      address, options.engine_ttl, options.asks_only,
      [&](Loop& io) -> std::unique_ptr<Server> {
        return std::make_unique<ZooKeeperLines>(io, std::move(servers), login, engine.url.path,
                                                options.engine_ttl, *units);
      },
      [engine](Loop& io) {
        return engine::open_zookeeper(io, engine.url, engine.options_for_files());
      });
}

}  // namespace hapax::direct
