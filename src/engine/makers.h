// The engines that a program has, and one of them by its URL. A program that has few of them loads
// few libraries, which is most of what starting it costs.
#pragma once

#include <memory>
#include <span>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/options.h"
#include "engine/url.h"
#include "loop/loop.h"

namespace hapax::engine {

struct Maker {
  Kind kind;
  // Refuses files that cannot be used. Servers that cannot be reached are no error: health() tells.
  Result<std::unique_ptr<Engine>> (*open)(Loop&, const Url&, const Options&);
};
using Makers = std::span<const Maker>;

// Null: it is not among them.
const Maker* find(Makers makers, Kind kind);

// Refuses what check_options() does, and engines that are not among them. Opens nothing and
// contacts nobody.
Result<void> check(Makers makers, const Url& url, const Options& options);

// Refuses what check() and the engine's own maker do.
Result<std::unique_ptr<Engine>> open(Makers makers, Loop& io, const Url& url,
                                     const Options& options);

}  // namespace hapax::engine
