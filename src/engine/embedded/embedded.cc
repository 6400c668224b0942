#include "engine/embedded/embedded.h"

#include <utility>

#include "engine/blocking.h"
#include "engine/embedded/database.h"

namespace hapax::engine {

Result<std::unique_ptr<Engine>> open_embedded(boost::asio::io_context& io, const std::string& path,
                                              const Options& options) {
  auto database = Database::open(path, options.group, options.timeout);
  if (!database) return database.error();
  return make_blocking(io, std::move(*database), options.timeout,
                       "the embedded engine's disk did not answer in time");
}

}  // namespace hapax::engine
