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

// The coordinator takes the next request for a sign that the one inside has left.
struct GrantsWhileBusy : NoBug<Central> {
  std::optional<NodeId> inside;
  HAPAX_RECORD(GrantsWhileBusy, inside)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (std::holds_alternative<Central::Release>(message)) {
      if (inside != from) return;  // Already struck off.
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

// The coordinator does not take the one that left off its queue.
struct ForgetsToStrikeOff : NoBug<Central> {
  HAPAX_RECORD(ForgetsToStrikeOff)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (std::holds_alternative<Central::Release>(message)) return;
    self.real.receive(from, message, fx);
  }
};

// When one leaves, the coordinator lets in the first of its queue, which is still the same one.
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
