#include "zookeeper/zookeeper_engine.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/blocking.h"
#include "zookeeper/ensemble.h"

namespace hapax::engine {

Result<std::unique_ptr<Engine>> open_zookeeper(Loop& io, const Url& url, const Options& options) {
  std::vector<std::string> servers;
  for (const Endpoint& endpoint : url.endpoints) servers.push_back(endpoint.text());
  const std::string login =
      options.user.empty() ? std::string{} : options.user + ":" + options.password;
  auto ensemble = std::make_unique<zookeeper::Ensemble>(
      std::move(servers), login, zookeeper::Layout{url.path, options.place()});
  return make_blocking(io, std::move(ensemble), options.timeout, "zookeeper: no answer in time");
}

}  // namespace hapax::engine
