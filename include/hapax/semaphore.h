// So many at a time, across machines: like a std::counting_semaphore that starts out full.
//
//   hapax::Semaphore pool{client, "pool/encoder"};
//   pool.acquire();
//   encode();
//   pool.release();
//
// All members of the group must agree on how many there are: --algorithm 'pool/*=semaphore-ra:4'.
// One object may hold several units; what it still holds when it ends is given back. An object
// without a unit cannot give one back: this is no way to send a signal. All functions may be called
// from any thread. A unit belongs to the thread that acquired it: release(), fence(), lost() and
// valid_for() are about the caller's latest. A thread that has none speaks for the others, and then
// a unit that is lost comes first. A unit that is lost must still be released.
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

// One who takes units of a semaphore, and gives them back.
class Semaphore {
 public:
  using Clock = std::chrono::steady_clock;  // Of deadlines.

  // Throws std::system_error if no lock can have that name.
  Semaphore(Client& client, std::string_view name);
  Semaphore(Node& node, std::string_view name);  // The same inside a member.
  ~Semaphore();  // Gives back what is held. Never throws, never waits.
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  // Waits for a unit. Throws std::system_error if the daemon is lost meanwhile, or refuses: that
  // lock is no semaphore, and the error says what to do about it.
  void acquire();
  // Waits no longer than it takes to ask everybody, a quarter of a second. As with Mutex, false
  // means that others have all units; all else that is in the way is a std::system_error.
  bool try_acquire();
  // The same for that long.
  template <class Rep, class Period>
  bool try_acquire_for(std::chrono::duration<Rep, Period> duration) {
    return try_acquire_until(Clock::now() + duration);
  }
  // The same until then, by any clock.
  template <class C, class Duration>
  bool try_acquire_until(std::chrono::time_point<C, Duration> deadline) {
    return try_until(Clock::now() + (deadline - C::now()));
  }
  // REQUIRES: this object holds a unit; else the process ends, with a message.
  void release();

  // Without exceptions: until `deadline`, or until `cancel` is asked to stop.
  std::error_code acquire_until(Clock::time_point deadline, std::stop_token cancel) noexcept;

  const std::string& name() const;  // Of the lock.
  // No two units ever have the same, but where there are several the
  // numbers come in any order, so a fence gate is of no use for them.
  // Throws std::system_error, Errc::not_held, if this object holds no unit.
  Fence fence() const;
  // Fires when what is held can no longer be relied on: the daemon is gone or silent.
  std::stop_token lost() const;
  // How long it is good for without further word from the daemon; zero once it is lost.
  std::chrono::milliseconds valid_for() const;

 private:
  bool try_until(Clock::time_point deadline);

  std::unique_ptr<detail::Grants> grants_;
};

}  // namespace hapax
