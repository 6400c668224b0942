// The gateways of this build that need no daemon of ours: a line each, as for engines.
#include <vector>

#include "handles/gateway_makers.h"

#ifdef HAPAX_HAS_ETCD
#include "direct_etcd/etcd_gateway.h"
#endif
#ifdef HAPAX_HAS_ZOOKEEPER
#include "direct_zookeeper/zookeeper_gateway.h"
#endif
#ifdef HAPAX_HAS_REDIS
#include "direct_redis/redis_gateway.h"
#endif

namespace hapax::detail {

std::span<const GatewayMaker> gateway_makers() {
  static const std::vector<GatewayMaker> all{
#ifdef HAPAX_HAS_ETCD
      {"etcd", direct::open_etcd},
#endif
#ifdef HAPAX_HAS_ZOOKEEPER
      {"zookeeper", direct::open_zookeeper},
#endif
#ifdef HAPAX_HAS_REDIS
      {"redis", direct::open_redis, direct::kRedisDoesNotPromise},
#endif
  };
  return all;
}

}  // namespace hapax::detail
