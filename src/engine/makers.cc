#include "engine/makers.h"

#include "base/no_signals.h"

namespace hapax::engine {

const Maker* find(Makers makers, Kind kind) {
  for (const Maker& maker : makers) {
    if (maker.kind == kind) return &maker;
  }
  return nullptr;
}

Result<void> check(Makers makers, const Url& url, const Options& options) {
  if (auto good = check_options(url, options); !good) return good;
  if (find(makers, url.kind) != nullptr) return {};
  return error("this build has no {}; build it with the packages that docs/engines.md names",
               name_of(url.kind));
}

Result<std::unique_ptr<Engine>> open(Makers makers, Loop& io, const Url& url,
                                     const Options& options) {
  if (auto good = check(makers, url, options); !good) return good.error();
  const NoSignals none;  // Its threads, and those of its libraries, may run in a user's program.
  return find(makers, url.kind)->open(io, url, options);
}

}  // namespace hapax::engine
