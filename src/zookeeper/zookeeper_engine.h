// A ZooKeeper ensemble as engine.
#pragma once

#include <memory>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/options.h"
#include "loop/loop.h"

namespace hapax::engine {

Result<std::unique_ptr<Engine>> open_zookeeper(Loop& io, const Url& url, const Options& options);

}  // namespace hapax::engine
