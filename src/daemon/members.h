// The group as a daemon sees it: locks to ask for, and other members to talk to. Either a fixed
// list in one view for ever (fixed_members.h), or whoever the engine's views say (view_members.h).
//
// On the thread of the io_context. Every call carries out what it brings about before it returns,
// and tells its host meanwhile; what the host asks for while it is told, right after that.
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
#include "base/seat.h"
#include "core/election_algorithm.h"
#include "core/want.h"
#include "locks/lock_table.h"
#include "locks/outbox.h"
#include "membership/member_host.h"
#include "net/stats.h"
#include "session/protocol.h"

namespace hapax {

class Members {
 public:
  virtual ~Members() = default;

  // Before it nothing is opened, nobody is contacted, and only stop() makes sense.
  virtual Result<void> start() = 0;
  virtual void stop() = 0;

  // As those of the lock table. An error of release: it was lost meanwhile, and that is being told.
  virtual Result<void> acquire(const std::string& name, WaiterId waiter, Want want) = 0;
  virtual Result<void> release(const std::string& name, WaiterId waiter,
                               std::optional<Turn> last) = 0;
  virtual Result<void> abandon(const std::string& name, WaiterId waiter) = 0;

  virtual Seat self() const = 0;
  virtual std::vector<Seat> others() const = 0;  // Who belongs to it now.
  virtual bool is_up(Seat peer) const = 0;
  virtual void tell(Seat to, std::span<const std::uint8_t> message) = 0;

  virtual Epoch epoch() const = 0;
  virtual const LockTable* table() const = 0;  // Null: no view runs.
  virtual const net::Stats& links() const = 0;
  virtual std::optional<Seat> coordinator() const = 0;  // Of `central`.
  virtual std::optional<Seat> leader() const = 0;
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
