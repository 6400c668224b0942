// The locks of a table that several may hold at once: readers and writers, semaphores. Part of the
// LockTable, which hands over what is theirs; apart from it, because a lock here has many holders
// and few of a group's locks are of this kind.
//
// Readers of one member share its entry, and with it the fence: one more reader costs no message
// while the member is inside to read. As soon as another member waits to write, or somebody does
// here, later readers queue behind; so a writer waits only for those who were inside before it.
// Each unit of a semaphore is an entry with a fence of its own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "core/effects.h"
#include "core/shared_algorithm.h"
#include "core/want.h"
#include "mutex/readers_writers.h"
#include "mutex/semaphore_ra.h"
#include "locks/lock_payload.h"
#include "locks/lock_table.h"
#include "locks/outbox.h"
#include "locks/policy.h"

namespace hapax {

// An error, which says what else to do, if a lock of that kind does not give what is wanted.
Result<void> check_want(std::string_view name, const LockKind& kind, Want want);
// What to want in order to be asked for in that mode. REQUIRES: is_shared(kind.algorithm).
Want want_for(const LockKind& kind, Mode mode);

class SharedLocks {
 public:
  SharedLocks(const Membership& membership, LockStats& stats)
      : membership_(membership), stats_(stats) {}

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

 private:
  using Algorithm = std::variant<ReadersWriters, SemaphoreRa>;
  using AnyEffects = std::tuple<Effects<ReadersWriters::Message>, Effects<SemaphoreRa::Message>>;

  struct Waiter {
    WaiterId id{};
    Mode mode{};
  };
  struct Lock {
    std::string_view name;  // The key of the map.
    LockKind kind;
    Algorithm algorithm;
    std::vector<LockHolder> holders;  // Here. Invariant: some exactly while the algorithm has some.
    std::vector<Waiter> waiters;      // Here, in their order.
    Fence fence;                      // Of the last entry here.
    bool pinned = false;              // It began with holders, so it must not be dropped.
  };

  Lock& create(std::string_view name, const LockKind& kind, const Holding& own);
  Algorithm make_algorithm(std::string_view name, const LockKind& kind, const Holding& own) const;
  void drop_if_like_new(Lock& lock);
  template <class A>
  void settle(Lock& lock, A& a, Outbox& out);
  void settle_any(Lock& lock, Outbox& out);
  template <class A>
  void flush_sends(const Lock& lock, Outbox& out);
  void append_payload(const Lock& lock, const ReadersWriters::Message& message, Outbox& out) const;
  void append_payload(const Lock& lock, const SemaphoreRa::Message& message, Outbox& out) const;
  template <class A>
  bool grant_entry(Lock& lock, const A& a, Turn turn, Outbox& out);
  void let_readers_join(Lock& lock, const ReadersWriters& a, Outbox& out);
  void grant_first(Lock& lock, Outbox& out);
  template <class A>
  void on_message(NodeId from, const LockPayload& payload, const LockKind& kind,
                  const typename A::Message& message, Outbox& out);
  LockStatus status_of(const Lock& lock) const;
  LockStats::PerAlgorithm& counts(const Lock& lock) {
    return stats_.algorithms[number(lock.kind.algorithm)];
  }
  std::uint64_t& floor_of(AlgorithmId id) { return floors_[number(id) - kMutexAlgorithms]; }

  Membership membership_;
  LockStats& stats_;
  std::map<std::string, Lock, std::less<>> locks_;
  AnyEffects effects_;
  // The highest clocks dropped in this view.
  std::array<std::uint64_t, kAlgorithms - kMutexAlgorithms> floors_{};
};

}  // namespace hapax
