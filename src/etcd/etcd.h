// An etcd cluster as engine: a commit is a Txn on mod_revisions, a snapshot a Txn of ranges, which
// sees one revision.
#pragma once

#include <memory>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/options.h"
#include "loop/loop.h"

namespace hapax::engine {

Result<std::unique_ptr<Engine>> open_etcd(Loop& io, const Url& url, const Options& options);

}  // namespace hapax::engine
