#include "embedded/embedded.h"

#include <algorithm>
#include <utility>

#include "embedded/database.h"
#include "engine/blocking.h"

namespace hapax::engine {

Result<std::unique_ptr<Engine>> open_embedded(Loop& io, const Url& url, const Options& options) {
  // Nobody relies on us yet, and of many members that start at once each has to wait for the
  // others.
  constexpr std::chrono::milliseconds kPatience{30'000};
  auto database = Database::open(url.path, options.place(), std::max(options.timeout, kPatience),
                                 options.adopts_copy);
  if (!database) return database.error();
  return make_blocking(io, std::move(*database), options.timeout,
                       "the embedded engine's disk did not answer in time");
}

}  // namespace hapax::engine
