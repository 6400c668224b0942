// A lock of the group, by name: Lockable and TimedLockable, for std::scoped_lock, std::unique_lock,
// std::condition_variable_any.
//
//   hapax::Client client;
//   hapax::Mutex orders{client, "orders/42"};
//   if (std::unique_lock lock{orders, 2s}) db.write(row, orders.fence());
//
// A Mutex object is one contender: it is held or not, like a std::mutex, and two threads that want
// to exclude each other may share it or have one each. A grant that is lost must still be unlocked:
// until then nobody else gets in through this object. All functions may be called from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

#include "hapax/client.h"
#include "hapax/fence.h"
#include "hapax/node.h"

namespace hapax {

// One contender for the lock of a name: Lockable and TimedLockable.
class Mutex {
 public:
  using Clock = std::chrono::steady_clock;  // Of deadlines.

  // Throws std::system_error if no lock can have that name.
  Mutex(Client& client, std::string_view name);
  Mutex(Node& node, std::string_view name);  // The same inside a member.
  ~Mutex();                                  // Releases what is held. Never throws, never waits.
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // Waits, even for a daemon that has no lease at the moment: client.status().obstacle says what is
  // in the way. Throws std::system_error if the daemon is lost meanwhile.
  void lock();
  // Waits no longer than it takes to ask everybody (patience(), a quarter of a second at first):
  // no algorithm can say at once that nobody at all holds a lock.
  //
  // Of these three, false means one thing: somebody else has the lock. All else that keeps it from
  // being granted is a std::system_error, as it would be of lock(): Errc::unavailable if the daemon
  // has no lease or a member that may hold the lock is away, Errc::lost if the daemon is gone, …
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
  // REQUIRES: held by this object; else the process ends, with a message.
  void unlock();

  // Without exceptions: until `deadline`, or until `cancel` is asked to stop.
  std::error_code acquire_until(Clock::time_point deadline, std::stop_token cancel) noexcept;

  // Without waiting: asks, and calls `done` once, without an error when the lock is held. For
  // thousands of locks without as many threads.
  //
  // `done` runs on a thread of the client's or the node's, perhaps before this returns. It must
  // neither throw nor wait (lock() there fails with resource_deadlock_would_occur); it may unlock,
  // and ask again. All that the `done`s of one turn ask for leaves in one write per member.
  // When `cancel` is asked to stop, `done` is called with Errc::cancelled, unless the lock was
  // granted before.
  // REQUIRES: the Mutex lives until `done` is called.
  void async_acquire(std::function<void(std::error_code)> done, std::stop_token cancel = {});

  // How long try_lock() waits.
  std::chrono::milliseconds patience() const;
  // From now on.
  void patience(std::chrono::milliseconds patience);

  const std::string& name() const;  // Of the lock.
  // Of the grant that is held, strictly larger than that of every earlier one. Throws
  // std::system_error, Errc::not_held, if there is none.
  Fence fence() const;
  // Fires when the grant that is held can no longer be relied on: the daemon is gone or silent, or
  // the lease is over. It belongs to this grant alone: a later one has its own. Callbacks run on a
  // thread of the library, and hold up those of the next loss until they return.
  std::stop_token lost() const;
  // How long the grant is good for without further word; zero once it is lost.
  std::chrono::milliseconds valid_for() const;

 private:
  bool try_until(Clock::time_point deadline);

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hapax
