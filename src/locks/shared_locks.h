// The locks of a table that several may hold at once: readers and writers, semaphores. Part of the
// LockTable, which hands over what concerns them; kept apart, because a lock here has many holders
// and few of a group's locks are of this kind.
//
// Readers of one member share its entry, and with it the fence: one more reader costs no message
// while the member is inside to read. As soon as another member waits to write, or somebody does
// here, later readers queue behind; so a writer waits only for those who were inside before it.
// Each unit of a semaphore is an entry with a fence of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "base/result.h"
#include "core/instance.h"
#include "core/lock_name.h"
#include "core/shared_algorithm.h"
#include "core/want.h"
#include "locks/instances.h"
#include "locks/lock_payload.h"
#include "locks/lock_table.h"
#include "locks/outbox.h"
#include "locks/policy.h"
#include "wire/codec.h"

namespace hapax {

// An error that says what else to do if a lock of that kind does not give what is wanted.
Result<void> check_want(std::string_view name, const LockKind& kind, Want want);
// What to want to have it asked for in that mode. REQUIRES: is_shared(kind.algorithm).
Want want_for(const LockKind& kind, Mode mode);

class SharedLocks {
 public:
  SharedLocks(const Membership& membership, Instances& instances, LockStats& stats)
      : membership_(membership), instances_(instances), stats_(stats) {}
  // For a copy of the table, which has instances and stats of its own.
  SharedLocks(const SharedLocks& other, Instances& instances, LockStats& stats);
  SharedLocks(const SharedLocks&) = delete;
  SharedLocks& operator=(const SharedLocks&) = delete;

  std::size_t size() const { return locks_.size(); }
  bool contains(std::string_view name) const { return locks_.contains(name); }

  // As the same functions of the LockTable. REQUIRES: is_shared(kind.algorithm), and the name is
  // a lock's.
  Result<void> begin(std::string_view name, const LockKind& kind,
                     const std::vector<LockHolder>& here);
  Result<void> acquire(std::string_view name, const LockKind& kind, WaiterId waiter, Want want,
                       Outbox& out);
  Result<void> release(std::string_view name, WaiterId waiter, Outbox& out);
  Result<void> abandon(std::string_view name, WaiterId waiter, Outbox& out);
  void receive(NodeId from, const LockPayload& payload, const LockKind& kind, Outbox& out);

  // REQUIRES: contains(name).
  LockStatus describe(std::string_view name) const;
  LockStatus describe_as_new(std::string_view name, const LockKind& kind) const;
  void for_each(const std::function<void(const LockStatus&)>& f) const;
  void encode_to(Bytes& bytes) const;

 private:
  struct Waiter {
    WaiterId id{};
    Mode mode{};
    HAPAX_RECORD(Waiter, id, mode)
  };
  struct Lock {
    std::string_view name;  // The key of the map.
    LockKind kind;
    Instance algorithm;
    std::vector<LockHolder> holders;  // Here. Invariant: some exactly while the algorithm has some.
    std::vector<Waiter> waiters;      // Here, in their order.
    Fence fence;                      // Of the last entry here.
    bool pinned = false;              // It began with holders, so it must not be dropped.
  };

  View view_of(std::string_view name) const {
    return instances_.view_of(home_of(name, membership_.size));
  }
  Instance make(std::string_view name, const LockKind& kind, const Holding& own) const;
  Lock& create(std::string_view name, const LockKind& kind, const Holding& own);
  void drop_if_like_new(Lock& lock);
  void settle(Lock& lock, Outbox& out);
  bool grant_entry(Lock& lock, Turn turn, Outbox& out);
  void let_readers_join(Lock& lock, Outbox& out);
  void grant_first(Lock& lock, Outbox& out);
  LockStatus status_of(const Lock& lock) const;

  Membership membership_;
  Instances& instances_;
  LockStats& stats_;
  std::map<std::string, Lock, std::less<>> locks_;
};

}  // namespace hapax
