// Planted bugs of the central coordinator.
#pragma once

#include <optional>
#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "mutex/central.h"
#include "mutex/fifo.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::NoBug;

// The coordinator takes the next request for a sign that whoever is inside has left.
struct GrantsWhileBusy : NoBug<Central> {
  std::optional<NodeId> inside;
  HAPAX_RECORD(GrantsWhileBusy, inside)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (std::holds_alternative<Central::Release>(message)) {
      if (inside != from) return;  // Struck off already.
      inside.reset();
    } else if (std::holds_alternative<Central::Request>(message)) {
      const auto& queue = field<Fifo<NodeId>>(self.real, "queue");
      const bool busy = inside && queue.front() == *inside;
      if (busy) self.real.receive(*inside, Central::Release{}, fx);
      inside = from;
    }
    self.real.receive(from, message, fx);
  }
};

// The coordinator leaves whoever left in its queue.
struct ForgetsToStrikeOff : NoBug<Central> {
  HAPAX_RECORD(ForgetsToStrikeOff)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (std::holds_alternative<Central::Release>(message)) return;
    self.real.receive(from, message, fx);
  }
};

// The coordinator lets the first of its queue in when somebody leaves, and that is still the same.
struct ServesTheSameTwice : NoBug<Central> {
  HAPAX_RECORD(ServesTheSameTwice)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (!std::holds_alternative<Central::Release>(message)) {
      return self.real.receive(from, message, fx);
    }
    Turn& turn = field<Turn>(self.real, "turn");
    turn = next(turn);
    fx.send(from, Central::Grant{turn});
  }
};

}  // namespace hapax::bugs
