// The engine of one host: a SQLite file that its processes share.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/open.h"

namespace hapax::engine {

// Blocks while it opens the file.
Result<std::unique_ptr<Engine>> open_embedded(boost::asio::io_context& io, const std::string& path,
                                              const Options& options);

}  // namespace hapax::engine
