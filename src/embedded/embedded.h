// The engine of one host: a SQLite file that its processes share.
#pragma once

#include <memory>

#include "base/asio_fwd.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/options.h"

namespace hapax::engine {

// Blocks while it opens the file.
Result<std::unique_ptr<Engine>> open_embedded(boost::asio::io_context& io, const Url& url,
                                              const Options& options);

}  // namespace hapax::engine
