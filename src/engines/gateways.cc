// The gateways of this build that need no daemon of ours: a line each, as for engines.
#include <vector>

#include "handles/gateway_makers.h"

#ifdef HAPAX_HAS_ETCD
#include "direct_etcd/etcd_gateway.h"
#endif

namespace hapax::detail {

std::span<const GatewayMaker> gateway_makers() {
  static const std::vector<GatewayMaker> all{
#ifdef HAPAX_HAS_ETCD
      {"etcd", direct::open_etcd},
#endif
  };
  return all;
}

}  // namespace hapax::detail
