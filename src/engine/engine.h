// The agreed record behind the views: a few small records, durable, changed by atomic and
// linearizable commits. Implementations: embedded/, etcd/, zookeeper/; fake.h for tests.
//
// The engine's own leases and clocks are not used: views need none (an etcd leader that is stuck
// may revoke live leases, etcd#15247; a ZooKeeper follower answers pings of sessions by itself).
//
// Threads: all calls, and all callbacks and handlers, on the thread that runs the loop given
// at creation; never from inside a call. Every call is answered once, within the time limit; but
// not after its engine is gone, which drops what is still open. A callback must not destroy the
// engine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/health.h"
#include "engine/record.h"

namespace hapax::engine {

enum class Outcome {
  committed,
  // Certain: a condition did not hold, and nothing was changed.
  conflict,
  // The answer was lost, or something failed (health() says what). It may have been committed, and
  // it may still be: read again, and act only by a commit conditional on what was read. If the lost
  // one had a condition on a record that yours writes (or the other way round), one of them fails.
  unknown,
};
std::string_view name_of(Outcome outcome);

// Goes on until it is destroyed, or has said `on_resync`.
class Watch {
 public:
  virtual ~Watch() = default;
};

struct WatchHandler {
  // Every commit that changed something under the prefix, in order, none left out and none twice;
  // only what is under the prefix.
  std::function<void(const Commit&)> on_commit;
  // What came after the last commit reported is no longer known. Read, and watch from there. The
  // last call of this watch.
  std::function<void()> on_resync;
  // The engine was out of reach, and may be another one now, or older. May be empty.
  std::function<void()> on_gap{};
};

using ReadCallback = std::function<void(Result<Snapshot>)>;
// The revision is that of the commit, if it was committed, and says nothing otherwise. A commit
// that changes nothing (only conditions, or only deletes of what is not there) has no revision of
// its own: it is told one at which its conditions held.
using CommitCallback = std::function<void(Outcome, Revision)>;

class Engine {
 public:
  virtual ~Engine() = default;  // Waits for its threads to finish: milliseconds.
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // A snapshot of all records under any of the prefixes, no older than the call.
  // REQUIRES: admissible(prefixes).
  virtual void read(std::vector<std::string> prefixes, ReadCallback callback) = 0;

  // All writes, if all conditions hold; otherwise nothing.
  // REQUIRES: admissible(conditions, writes).
  virtual void commit(std::vector<Condition> conditions, std::vector<Write> writes,
                      CommitCallback callback) = 0;

  // What is committed after revision `from`, which is a snapshot's or a commit's.
  [[nodiscard]] virtual std::unique_ptr<Watch> watch(std::string prefix, Revision from,
                                                     WatchHandler handler) = 0;

  virtual Health health() const = 0;

 protected:
  Engine() = default;
};

}  // namespace hapax::engine
