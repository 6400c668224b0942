// Planted bugs of the bakery over messages.
#pragma once

#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "mutex/bakery.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::NoBug;

// Says that it has chosen, even while it is choosing.
struct DoesNotWaitForChoosing : NoBug<Bakery> {
  HAPAX_RECORD(DoesNotWaitForChoosing)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (std::holds_alternative<Bakery::ReadChosen>(message)) return fx.send(from, Bakery::Chosen{});
    self.real.receive(from, message, fx);
  }
};

// Of two equal tickets neither comes first: each lets the other pass.
struct LetsEqualTicketsPass : NoBug<Bakery> {
  HAPAX_RECORD(LetsEqualTicketsPass)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const auto* read = std::get_if<Bakery::ReadTurn>(&message);
    if (read == nullptr || read->number != field<std::uint64_t>(self.real, "number")) {
      return self.real.receive(from, message, fx);
    }
    fx.send(from, Bakery::Passed{field<Turn>(self.real, "turn")});
  }
};

}  // namespace hapax::bugs
