#include "engines/engines.h"

#include "embedded/embedded.h"
#ifdef HAPAX_HAS_ETCD
#include "etcd/etcd.h"
#endif
#ifdef HAPAX_HAS_ZOOKEEPER
#include "zookeeper/zookeeper_engine.h"
#endif

namespace hapax::engine {

Makers all() {
  static constexpr Maker kAll[] = {
      kEmbedded,
#ifdef HAPAX_HAS_ETCD
      {Kind::etcd, open_etcd},
#endif
#ifdef HAPAX_HAS_ZOOKEEPER
      {Kind::zookeeper, open_zookeeper},
#endif
  };
  return kAll;
}

}  // namespace hapax::engine
