// The group as a daemon sees it: locks to ask for, and other members to talk to. Either a fixed
// list in one view for ever (fixed_members.h), or whoever the engine's views say (view_members.h).
//
// On the thread of the io_context. Handlers are called from flush(), or from the loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "core/election_algorithm.h"
#include "core/fence.h"
#include "core/want.h"
#include "net/stats.h"
#include "service/lease_times.h"
#include "locks/lock_table.h"
#include "locks/outbox.h"
#include "session/protocol.h"

namespace hapax {

class Members {
 public:
  struct Handlers {
    std::function<void(WaiterId, Fence, bool may_keep)> on_granted;
    std::function<void(WaiterId)> on_wanted;
    // Its grant ended with the lease. Said before anybody else can be let in.
    std::function<void(WaiterId)> on_lost;
    // We leave: it is told to, and holds its lock until it has, or the lease is over.
    std::function<void(WaiterId)> on_recalled;
    // Asked when a view stops: whether the client is inside. One that only keeps the lock for later
    // gives it up by answering no.
    std::function<bool(WaiterId)> is_inside;
    // Its grant is about to be lost: what it gives up, and the turn of its last entry, if it may
    // have entered again by itself.
    std::function<std::optional<Turn>(WaiterId)> take_back;
    // The lease lasts until then, on the clock of boot_clock.h. What was lost before has been told.
    std::function<void(Instant)> on_leased;
    std::function<void(NodeId from, std::span<const std::uint8_t>)> on_gossip;
    // It is connected, again perhaps; what tell() told it meanwhile it did not hear.
    std::function<void(NodeId peer)> on_met;
    // It came back without its memory, or belongs to the group no longer.
    std::function<void(NodeId peer)> on_forgotten;
    std::function<void()> on_settled;  // All that there was to tell has been told.
    std::function<void()> on_left;     // After leave().
    std::function<void(const std::string&)> log;
    std::function<void(std::string)> log_once;
  };

  virtual ~Members() = default;

  // Before it nothing is opened, nobody is contacted, and only stop() makes sense.
  virtual Result<void> start() = 0;
  virtual void stop() = 0;

  // As of the lock table's. An error of release: it was lost meanwhile, and that is being told.
  virtual Result<void> acquire(const std::string& name, WaiterId waiter, Want want) = 0;
  virtual Result<void> release(const std::string& name, WaiterId waiter,
                               std::optional<Turn> last) = 0;
  virtual Result<void> abandon(const std::string& name, WaiterId waiter) = 0;
  // Carries out what the calls above have left to do.
  virtual void flush() = 0;

  virtual NodeId self() const = 0;
  virtual std::vector<NodeId> others() const = 0;  // Who belongs to it now.
  virtual bool is_up(NodeId peer) const = 0;
  virtual void tell(NodeId to, std::span<const std::uint8_t> message) = 0;

  virtual Epoch epoch() const = 0;
  virtual const LockTable* table() const = 0;  // Null: no view runs.
  virtual const net::Stats& links() const = 0;
  virtual std::optional<NodeId> coordinator() const = 0;  // Of `central`.
  virtual std::optional<NodeId> leader() const = 0;
  virtual Term term() const = 0;
  virtual std::uint64_t complaints() const = 0;
  // What there is to say about members, leases and the engine.
  virtual void describe(session::State& state) const = 0;
  // How long grants are good for without further word; nothing: for ever.
  virtual std::optional<std::chrono::milliseconds> lease_left() const = 0;
  virtual std::chrono::milliseconds ttl() const = 0;  // 0: there are no leases.

  // --- for people ---

  virtual Result<void> leave(std::chrono::milliseconds patience) = 0;
  // `done` with nothing, or what is wrong.
  virtual void evict(const std::string& whom, std::function<void(std::string)> done) = 0;
};

}  // namespace hapax
