// A ZooKeeper ensemble as engine.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/open.h"

namespace hapax::engine {

Result<std::unique_ptr<Engine>> open_zookeeper(boost::asio::io_context& io, const Url& url,
                                               const Options& options);

}  // namespace hapax::engine
