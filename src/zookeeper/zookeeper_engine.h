// A ZooKeeper ensemble as engine.
#pragma once

#include <memory>

#include "base/asio_fwd.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/options.h"

namespace hapax::engine {

Result<std::unique_ptr<Engine>> open_zookeeper(boost::asio::io_context& io, const Url& url,
                                               const Options& options);

}  // namespace hapax::engine
