// An engine by its URL: the one place that knows which engines this build has.
#pragma once

#include <memory>
#include <vector>

#include "base/asio_fwd.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/options.h"
#include "engine/url.h"

namespace hapax::engine {

// Refuses what check_options() does, and engines that this build does not have. Opens nothing and
// contacts nobody.
Result<void> check(const Url& url, const Options& options);

// Refuses what check() does, and files that cannot be used. Servers that cannot be reached are no
// error: health() tells.
Result<std::unique_ptr<Engine>> open(boost::asio::io_context& io, const Url& url,
                                     const Options& options);

// The engines of this build.
std::vector<Kind> available();

}  // namespace hapax::engine
