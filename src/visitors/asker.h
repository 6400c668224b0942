// Who stands behind a waiter of the lock table: a request of a client, or somebody inside this
// process who takes locks without a socket. All calls are on the thread of the loop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unistd.h>

#include "core/fence.h"
#include "locks/outbox.h"
#include "session/protocol.h"

namespace hapax {

class Asker {
 public:
  virtual ~Asker() = default;
  // Holds the lock from now on.
  virtual void on_granted(const Grant& grant) = 0;
  // Somebody else waits for the lock that it holds. May release it at once.
  virtual void on_wanted(WaiterId waiter) = 0;
  // The daemon leaves its group: to give back the lock as soon as it can. It is its own until then,
  // or until the lease is over.
  virtual void on_recalled(WaiterId waiter) { on_wanted(waiter); }
  // Its grant has ended, for people because of `why`: with the lease, or because somebody broke
  // the lock. Nobody else has been let in yet.
  virtual void on_lost(WaiterId /*waiter*/, const std::string& /*why*/) {}
  // A view stops: whether it is inside. If it only keeps the lock for later, it answers no, and
  // does not enter by it any more.
  virtual bool is_inside(WaiterId /*waiter*/) { return true; }
  // Its grant is about to be lost, which it is told next: it does not enter by it any more. The
  // turn of its last entry, if it may have entered again by itself.
  virtual std::optional<Turn> take_back(WaiterId /*waiter*/) { return std::nullopt; }
  // Of a candidate only: somebody asks it to step down, for `to` unless that is empty.
  virtual void on_asked_to_resign(const std::string& /*to*/) {}
  // Of a candidate only: it waits no longer, since there is no room for its lock.
  virtual void on_refused(const std::string& /*why*/) {}

  // Whether its lock can be taken from it while it is inside.
  virtual bool can_lose() const { return true; }

  // For people. The member it is at is added by whoever asks.
  virtual session::Person describe() const {
    session::Person person;
    person.pid = static_cast<std::uint32_t>(getpid());
    person.command = "(in the member itself)";
    return person;
  }
};

}  // namespace hapax
