// What a member of a group is told, and asked, by its group (group.h). On the thread of the
// loop.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/log.h"
#include "base/seat.h"
#include "locks/outbox.h"
#include "service/lease_times.h"
#include "service/view_locks.h"

namespace hapax {

class MemberHost : public Holders {
 public:
  virtual void on_granted(const Grant& grant) = 0;
  virtual void on_wanted(WaiterId waiter) = 0;
  // Its grant ended with the lease. Said before anybody else can be let in.
  virtual void on_lost(WaiterId waiter) = 0;
  // We leave: it is told to, and holds its lock until it has, or the lease is over.
  virtual void on_recalled(WaiterId waiter) = 0;
  // The lease lasts until then, on the clock of boot_clock.h. What was lost before has been told.
  virtual void on_leased(Instant /*until*/) {}
  virtual void on_settings() {}  // The group's options say others from now on.
  // Neither about locks nor about views.
  virtual void on_message(Seat from, std::span<const std::uint8_t> message) = 0;
  // It is connected, again perhaps; what it was told meanwhile it did not hear.
  virtual void on_met(Seat peer) = 0;
  virtual void on_away(Seat /*peer*/) {}  // It is not connected any more.
  // It came back without its memory, or belongs to the group no longer.
  virtual void on_forgotten(Seat peer) = 0;
  virtual void on_settled() = 0;  // All that there was to tell has been told.
  virtual void on_left() = 0;     // Asked to leave, we have.
  virtual void log(const std::string& line, LogLevel level = LogLevel::info) = 0;
  virtual void log_once(const std::string& line, LogLevel level = LogLevel::warning) = 0;
};

}  // namespace hapax
