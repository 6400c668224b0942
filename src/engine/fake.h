// An engine in memory for tests: a Store behind the contract, with answers lost on demand. What
// happens when is up to the loop alone.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include "engine/engine.h"
#include "engine/store.h"
#include "loop/loop.h"

namespace hapax::engine {

enum class Fate {
  answered,
  request_lost,  // Unknown, and not committed.
  answer_lost,   // Unknown, and committed.
};

class FakeWatch;

// What the fake engines of several members share; outlives them.
struct FakeServer {
  Store store;
  bool up = true;              // While it is down every request is lost.
  std::function<Fate()> fate;  // Asked at every commit; may be empty.
  std::uint64_t reads = 0;
  std::uint64_t commits = 0;

  std::set<FakeWatch*> watches;
};

std::unique_ptr<Engine> open_fake(Loop& io, FakeServer& server);

}  // namespace hapax::engine
