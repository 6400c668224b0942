#include "direct_etcd/etcd_gateway.h"

#include <system_error>
#include <utility>

#include "base/no_signals.h"
#include "direct/address.h"
#include "direct/direct_gateway.h"
#include "direct_etcd/etcd_lines.h"
#include "etcd/etcd.h"
#include "etcd/servers.h"

namespace hapax::direct {

std::unique_ptr<detail::Gateway> open_etcd(const std::string& address,
                                           const ClientOptions& options) {
  const EngineAddress engine = engine_address(address, options);
  const NoSignals none;  // The threads of gRPC run in a user's program.
  return std::make_unique<DirectGateway>(
      address, options.engine_ttl, options.asks_only,
      [&engine](Loop& io) -> std::unique_ptr<Server> {
        auto servers = engine::etcd::Servers::create(io, engine.url, engine.options);
        if (!servers) bad_address(servers.error().message);
        return std::make_unique<EtcdLines>(io, std::move(*servers));
      },
      [engine](Loop& io) { return engine::open_etcd(io, engine.url, engine.options_for_files()); });
}

}  // namespace hapax::direct
