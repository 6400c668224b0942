// A daemon's group, from what the daemon was told: on an engine, or a fixed list.
#pragma once

#include <memory>

#include "base/result.h"
#include "daemon/node_config.h"
#include "engine/engine.h"
#include "loop/loop.h"
#include "membership/engine_group.h"
#include "membership/group.h"

namespace hapax {

struct Joined {
  std::unique_ptr<engine::Engine> engine;  // Null: a fixed list.
  std::unique_ptr<Group> group;
  EngineGroup* on_engine = nullptr;  // The same group, if it is on one.
};

// Refuses what join() would; opens nothing and contacts nobody.
Result<void> check_group(Loop& io, const NodeConfig& config);

// A group that has started. With an engine it waits until it is enlisted, running the loop,
// for as long as it takes or the configuration says; `host` is told what is being waited for.
// REQUIRES: check_group() has nothing against it.
Result<Joined> join(Loop& io, const NodeConfig& config, MemberHost& host);

// Where the group's files are kept: apart from its records, which all members read all the time. An
// error if the group has no engine.
Result<std::unique_ptr<engine::Engine>> open_files(Loop& io, const NodeConfig& config);

}  // namespace hapax
