// redis://h1:6379,h2:6379: locks at Redis servers; one, or Redlock over several.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "handles/gateway.h"
#include "hapax/client.h"

namespace hapax::direct {

inline constexpr std::string_view kRedisDoesNotPromise =
    "Redis lets a second one in if the holder stands still for longer than the TTL, if a clock "
    "runs "
    "fast, or if a server restarts empty; and nobody is first come, first served. Check "
    "$HAPAX_FENCE where it matters (docs/algorithms/redlock.md)";

// As a GatewayMaker has it.
std::unique_ptr<detail::Gateway> open_redis(const std::string& address,
                                            const ClientOptions& options);

}  // namespace hapax::direct
