// Locks and elections directly on ZooKeeper, in one line with Curator's and kazoo's
// (docs/direct.md).
#pragma once

#include <memory>
#include <string>

#include "handles/gateway.h"
#include "hapax/client.h"

namespace hapax::direct {

// As detail::GatewayMaker has it.
std::unique_ptr<detail::Gateway> open_zookeeper(const std::string& address,
                                                const ClientOptions& options);

}  // namespace hapax::direct
