#include "engines/open.h"

#include "embedded/embedded.h"
#ifdef HAPAX_HAS_ETCD
#include "etcd/etcd.h"
#endif
#ifdef HAPAX_HAS_ZOOKEEPER
#include "zookeeper/zookeeper_engine.h"
#endif

namespace hapax::engine {
namespace {

struct Maker {
  Kind kind;
  Result<std::unique_ptr<Engine>> (*open)(boost::asio::io_context&, const Url&, const Options&);
};
constexpr Maker kMakers[] = {
    {Kind::embedded, open_embedded},
#ifdef HAPAX_HAS_ETCD
    {Kind::etcd, open_etcd},
#endif
#ifdef HAPAX_HAS_ZOOKEEPER
    {Kind::zookeeper, open_zookeeper},
#endif
};

// Null: not in this build.
const Maker* maker_of(Kind kind) {
  for (const Maker& maker : kMakers) {
    if (maker.kind == kind) return &maker;
  }
  return nullptr;
}

}  // namespace

std::vector<Kind> available() {
  std::vector<Kind> kinds;
  for (const Maker& maker : kMakers) kinds.push_back(maker.kind);
  return kinds;
}

Result<void> check(const Url& url, const Options& options) {
  if (auto good = check_options(url, options); !good) return good;
  if (maker_of(url.kind) != nullptr) return {};
  return error("this build has no {}; build it with the packages that docs/engines.md names",
               name_of(url.kind));
}

Result<std::unique_ptr<Engine>> open(boost::asio::io_context& io, const Url& url,
                                     const Options& options) {
  if (auto good = check(url, options); !good) return good.error();
  return maker_of(url.kind)->open(io, url, options);
}

}  // namespace hapax::engine
