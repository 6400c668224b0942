// Many locks by name, at one member of one view. Per lock one instance of the algorithm that the
// policy names, on behalf of all local waiters, who queue here first come, first served.
//
// Pure and deterministic: no sockets, clocks, threads or logs. Calls in, an Outbox out; the daemon
// and a member inside a program drive the same object. Not thread-safe.
//
// What the driver sees to: links are reliable and FIFO inside a view; payloads of another epoch are
// kept away; everything in an Outbox is carried out, the sends of a link in their order.
//
// Each local entry has a fence of its own. As a rule it is an entry of the algorithm: a hand-off
// between two local waiters is a release and a request, so that requests of other members are
// served in the algorithm's order. Where permission stays, an entry of the algorithm also serves
// those who were waiting here when it began, up to a few: that takes no message, and as each member
// has its turn, it treats all waiters more alike. Giving up costs no message: the request that is
// under way serves the next local waiter, or is released as soon as it is granted.
//
// A lock nobody uses costs nothing. An instance is dropped as soon as it equals a new one, but for
// its clock or its counter of turns; that falls back to a floor, the highest dropped in this view.
//
// A token that would go round for ever rests at its home while nobody wants it. A member that asks
// sends a WAKE there, besides waiting for the token; so an idle ring is silent.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "base/result.h"
#include "core/fence.h"
#include "core/lock_step.h"
#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "core/want.h"
#include "locks/outbox.h"
#include "locks/policy.h"
#include "wire/codec.h"

namespace hapax {

// Who we are in the view that the table serves.
struct Membership {
  Epoch epoch{};
  std::uint32_t size = 1;  // Members are 0 … size-1.
  NodeId self{};
};

struct LockHolder {
  WaiterId waiter{};
  Fence fence;
  Mode mode = Mode::exclusive;  // Units are shared.
  HAPAX_RECORD(LockHolder, waiter, fence, mode)
};

// One lock as seen from this member, for a person who asks.
struct LockStatus {
  std::string name;
  std::string_view algorithm;
  // Where the view began for this lock: hash(name) % size, or its holder.
  NodeId home{};
  Phase phase{};  // Of the algorithm here. `waiting` with no waiters: all have given up.
  std::optional<LockHolder> holder;  // The local one, if one holds the lock here and is alone.
  std::vector<LockHolder> sharers;   // Local ones that hold it with others: readers, units.
  std::vector<WaiterId> waiters;     // Local ones, in the order in which they will be served.
  std::vector<Mode> modes;           // Of the waiters, where several may hold the lock; else empty.
  // The algorithm's fields: clock=5 deferred={#1}. Of a lock that was asked for by its name: there
  // may be hundreds of thousands of others.
  std::string state;
};

struct LockStats {
  struct PerAlgorithm {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;  // Well-formed ones.
  };
  std::uint64_t instances = 0;  // Now in memory.
  std::uint64_t held = 0;       // By local waiters, now.
  std::uint64_t waiting = 0;    // Local waiters, now.
  std::uint64_t dropped = 0;    // Instances that became like new and were forgotten.
  std::uint64_t entries = 0;    // Grants to local waiters.
  std::array<PerAlgorithm, kMostAlgorithmIds> algorithms{};  // By AlgorithmId.

  // What only grows, of a view before this one, too.
  void add_past(const LockStats& past) {
    dropped += past.dropped;
    entries += past.entries;
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      algorithms[i].sent += past.algorithms[i].sent;
      algorithms[i].received += past.algorithms[i].received;
    }
  }
};

class LockTable {
 public:
  struct Options {
    // Names that peers or clients make up must not fill the memory.
    std::uint32_t most_locks = 1u << 22;
  };

  LockTable(const Membership& membership, Policy policy)
      : LockTable(membership, policy, Options{}) {}
  LockTable(const Membership& membership, Policy policy, const Options& options);
  ~LockTable();
  // A value: the copy goes its own way.
  LockTable(const LockTable& other);
  LockTable(LockTable&& other) noexcept;
  LockTable& operator=(LockTable other) noexcept;

  // A lock that, as this view starts, is held (or waits idle) at `holder`, rather than idle at its
  // hash's home. All members of the view must say the same. `here` goes on holding it, with the
  // fence it has. Such a lock is not dropped in this view.
  // REQUIRES: nothing was done with that lock before; `here` exactly if held and holder is self.
  Result<void> begin(std::string_view name, NodeId holder, bool held,
                     std::optional<LockHolder> here);

  // The same for a lock that several may hold at once: `here` are those of this member who do, all
  // readers, all with a unit, or one alone. The others need not be known: they are asked.
  // REQUIRES: the policy gives it an algorithm of that kind.
  Result<void> begin_shared(std::string_view name, const std::vector<LockHolder>& here);

  // `waiter` wants the lock. The grant comes in this Outbox or a later one. An error if the name is
  // no lock name, `waiter` holds the lock, or its algorithm does not give what is wanted.
  // REQUIRES: the waiter does not wait for that lock.
  Result<void> acquire(std::string_view name, WaiterId waiter, Outbox& out) {
    return acquire(name, waiter, Want::exclusive, out);
  }
  Result<void> acquire(std::string_view name, WaiterId waiter, Want want, Outbox& out);

  // An error if `waiter` does not hold the lock.
  Result<void> release(std::string_view name, WaiterId waiter, Outbox& out);

  // The same as release() for a holder that may keep the lock, `last` being the turn of its
  // last entry. REQUIRES: `last` is no smaller than the turn that was granted.
  Result<void> release_kept(std::string_view name, WaiterId waiter, Turn last, Outbox& out);

  // `waiter` waits no longer. An error if it does not wait: then it may hold the lock by now.
  Result<void> abandon(std::string_view name, WaiterId waiter, Outbox& out);

  // What `from` sent. Bytes from the network are hostile: what is wrong with them is a complaint,
  // and changes nothing.
  void receive(NodeId from, std::span<const std::uint8_t> payload, Outbox& out);

  const Membership& membership() const;
  const Policy& policy() const;
  const LockStats& stats() const;
  // All that what comes depends on, but for the order in which for_each_lock() goes.
  void encode_to(Bytes& bytes) const;

  // What there is to say about one lock; an error if the name is none. A lock without an instance
  // is described as it would be.
  Result<LockStatus> describe(std::string_view name) const;

  // From now on `observer` is told what that lock's algorithm is given to do here; how it is now.
  // Of one lock at a time: another, or null, takes its place, and the table's end ends it. Watching
  // is no part of what the table is: a copy is watched by nobody, and nothing else changes. An
  // error if the lock's algorithm does more here than a trace can tell.
  Result<LockStart> observe(std::string_view name, std::shared_ptr<LockObserver> observer) const;

  // Calls f(const LockStatus&) for every instance, in an order that depends on the past only.
  template <class F>
  void for_each_lock(F&& f) const {
    for (std::uint32_t at = next_lock(0); at != kNone; at = next_lock(at + 1)) f(status_of(at));
    for_each_shared_lock([&](const LockStatus& status) { f(status); });
  }

  // The same for the first of those that somebody here holds or waits for; how many there are. What
  // is not asked for is only counted: there may be hundreds of thousands. With a pattern, only of
  // those whose names match.
  std::size_t for_first_in_use(std::size_t most, std::string_view pattern,
                               const std::function<void(const LockStatus&)>& f) const;
  // The same page by page, however many there are: those from that place on, so many at most. Where
  // to go on; 0: there are no more. What changes between two pages may be told twice, or not.
  std::uint64_t for_in_use_from(std::uint64_t place, std::size_t most,
                                const std::function<void(const LockStatus&)>& f) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  class Impl;

  std::uint32_t next_lock(std::uint32_t from) const;
  LockStatus status_of(std::uint32_t slot) const;
  void for_each_shared_lock(const std::function<void(const LockStatus&)>& f) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace hapax
