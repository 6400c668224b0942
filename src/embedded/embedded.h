// The engine of one host: a SQLite file that its processes share.
#pragma once

#include <memory>

#include "base/result.h"
#include "engine/makers.h"
#include "loop/loop.h"

namespace hapax::engine {

// Blocks while it opens the file.
Result<std::unique_ptr<Engine>> open_embedded(Loop& io, const Url& url, const Options& options);
inline constexpr Maker kEmbedded{Kind::embedded, open_embedded};

}  // namespace hapax::engine
