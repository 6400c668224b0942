// An engine made of something that blocks: a thread of its own calls it and attends to watches now
// and then, so that the loop never waits.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/record.h"
#include "loop/loop.h"

namespace hapax::engine {

using Deadline = std::chrono::steady_clock::time_point;

// Used by one thread, except interrupt(). A call may take until its deadline.
class Backing {
 public:
  virtual ~Backing() = default;

  virtual Result<Snapshot> read(const std::vector<std::string>& prefixes, Deadline deadline) = 0;

  // As Store::commit(); an error may come although the commit is done, or will be.
  virtual Result<std::optional<Revision>> commit(const std::vector<Condition>& conditions,
                                                 const std::vector<Write>& writes,
                                                 Deadline deadline) = 0;

  // As Store::since(), with the revision that it goes up to. Fails at once if there is nobody to
  // ask.
  struct Since {
    Revision revision = 0;
    std::optional<std::vector<Commit>> commits;
  };
  virtual Result<Since> since(std::string_view prefix, Revision from, Deadline deadline) = 0;

  // Has changed if there may be something new. Quick.
  virtual Result<std::uint64_t> pulse() = 0;

  // From any thread, once: whatever waits gives up.
  virtual void interrupt() = 0;
};

// `late` is what health says of a call that was not answered in time.
std::unique_ptr<Engine> make_blocking(Loop& io, std::unique_ptr<Backing> backing,
                                      std::chrono::milliseconds timeout, std::string late);

}  // namespace hapax::engine
