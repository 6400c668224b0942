#include "embedded/embedded.h"

#include <utility>

#include "embedded/database.h"
#include "engine/blocking.h"

namespace hapax::engine {

Result<std::unique_ptr<Engine>> open_embedded(boost::asio::io_context& io, const Url& url,
                                              const Options& options) {
  auto database = Database::open(url.path, options.group, options.timeout, options.adopts_copy);
  if (!database) return database.error();
  return make_blocking(io, std::move(*database), options.timeout,
                       "the embedded engine's disk did not answer in time");
}

}  // namespace hapax::engine
