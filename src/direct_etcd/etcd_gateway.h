// Locks and elections directly on etcd, in one line with `etcdctl lock`, Go's concurrency.Mutex and
// concurrency.Election (docs/direct.md).
#pragma once

#include <memory>
#include <string>

#include "handles/gateway.h"
#include "hapax/client.h"

namespace hapax::direct {

// As detail::GatewayMaker has it.
std::unique_ptr<detail::Gateway> open_etcd(const std::string& address,
                                           const ClientOptions& options);

}  // namespace hapax::direct
