// A lock of the group that many may hold to read or one alone to write: SharedLockable and
// SharedTimedLockable, for std::shared_lock, std::unique_lock and std::scoped_lock.
//
//   hapax::SharedMutex reports{client, "reports/2024"};
//   { std::shared_lock reading{reports}; show(reports.fence()); }
//   { std::unique_lock writing{reports}; db.write(row, reports.fence()); }
//
// All members of the group must serve that name by readers-writers: --algorithm
// 'reports/*=readers-writers'. A reader waits for writers that asked before it, so neither readers
// nor writers wait for ever.
//
// Like a std::shared_mutex, one object may be held by one thread alone or by several to read, and
// the thread that has locked it unlocks it. fence(), lost() and valid_for() are about the caller's
// own grant; in a thread that has none, about another's, and then one that is lost comes first. A
// grant that is lost must still be unlocked.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

#include "hapax/client.h"
#include "hapax/fence.h"
#include "hapax/node.h"

namespace hapax {

// One contender for a lock, to read or to write: SharedTimedLockable.
class SharedMutex {
 public:
  using Clock = std::chrono::steady_clock;  // Of deadlines.

  // Throws std::system_error if no lock can have that name.
  SharedMutex(Client& client, std::string_view name);
  SharedMutex(Node& node, std::string_view name);  // The same inside a member.
  ~SharedMutex();  // Releases what is held. Never throws, never waits.
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  // --- to write, alone ---

  // Waits. Throws std::system_error if the daemon is lost meanwhile, or refuses.
  void lock();
  // Waits no longer than it takes to ask everybody, a quarter of a second. As with Mutex, false
  // means that others have the lock; all else that is in the way is a std::system_error.
  bool try_lock();
  // The same for that long.
  template <class Rep, class Period>
  bool try_lock_for(std::chrono::duration<Rep, Period> duration) {
    return try_lock_until(Clock::now() + duration);
  }
  // The same until then, by any clock.
  template <class C, class Duration>
  bool try_lock_until(std::chrono::time_point<C, Duration> deadline) {
    return try_until(Clock::now() + (deadline - C::now()));
  }
  // REQUIRES: held alone by this thread; else the process ends, with a message.
  void unlock();

  // --- to read ---

  // As above. Throws, too, if that lock's algorithm lets in only one at a time; the error says what
  // to do about it.
  void lock_shared();
  bool try_lock_shared();  // As try_lock().
  // As try_lock_for().
  template <class Rep, class Period>
  bool try_lock_shared_for(std::chrono::duration<Rep, Period> duration) {
    return try_lock_shared_until(Clock::now() + duration);
  }
  // As try_lock_until().
  template <class C, class Duration>
  bool try_lock_shared_until(std::chrono::time_point<C, Duration> deadline) {
    return try_shared_until(Clock::now() + (deadline - C::now()));
  }
  // REQUIRES: held to read by this thread; else the process ends, with a message.
  void unlock_shared();

  // Without exceptions: until `deadline`, or until `cancel` is asked to stop.
  std::error_code acquire_until(Clock::time_point deadline, std::stop_token cancel) noexcept;
  // The same, to read.
  std::error_code acquire_shared_until(Clock::time_point deadline, std::stop_token cancel) noexcept;

  const std::string& name() const;  // Of the lock.
  // A writer's is greater than those of all holders before it, a reader's greater than those of all
  // writers before it. Readers that hold the lock together may have equal ones, or in any order:
  // use FenceGate::admit_shared() for theirs. Throws std::system_error, Errc::not_held, if this
  // object is not held.
  Fence fence() const;
  // Fires when what is held can no longer be relied on: the daemon is gone or silent.
  std::stop_token lost() const;
  // How long it is good for without further word from the daemon; zero once it is lost.
  std::chrono::milliseconds valid_for() const;

 private:
  bool try_until(Clock::time_point deadline);
  bool try_shared_until(Clock::time_point deadline);

  std::unique_ptr<detail::Grants> grants_;
};

}  // namespace hapax
