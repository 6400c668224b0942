// The last act: a machine stops in the middle of a deposit, and wakes up when its lease is over.
// Each deposit of this act is made twice: to an account behind a gate, and to one without.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "bank/atm_process.h"
#include "bank/books.h"
#include "bank/interrupts.h"
#include "hapax/fence.h"
#include "local/group.h"

namespace hapax::bank {

struct LateWriter {
  Statement gated, ungated;
  Fence late, next, again;  // The grants: to the late ATM, to the next, to the late one anew.
  std::chrono::milliseconds after{};  // The machine stopped, the next one had the lock.
  bool removed = false;               // The late one's daemon, from the view.
  bool refused = false;               // The write with the old fence.
  Money at_refusal = 0;               // The balance after that.
  bool noticed = false;               // The late one's lock told it, afterwards, that it was lost.

  bool as_expected() const;
};

// Who plays. The late ATM is a client of the first member, the next one of the second.
struct Cast {
  Books& books;
  local::Group& group;
  AtmProcess& late;
  AtmProcess& next;
  Interrupts& interrupts;
};

using Teller = std::function<void(const std::string& line)>;

// Reports what happens as it happens. Throws std::runtime_error if it cannot go on.
// REQUIRES: the group is complete.
LateWriter play_late_writer(const Cast& cast, Money amount, const Teller& tell);

}  // namespace hapax::bank
