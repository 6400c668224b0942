// Planted bugs of Lamport's algorithm of 1978.
#pragma once

#include <variant>

#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "core/stamp.h"
#include "mutex/lamport.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::hand_on_if;
using testing::NoBug;

struct ForgetsOneRelease : NoBug<Lamport> {
  HAPAX_RECORD(ForgetsOneRelease)

  void release(Self self, Fx& fx) {
    Fx real;
    self.real.release(real);
    const NodeId forgotten{(number(self.view.self) + 1) % self.view.size};
    hand_on_if(real, self, fx, [&](NodeId to, const Message&) { return to != forgotten; });
  }
};

// Takes one later message, no matter whose, for a sign that nobody can come before it any more.
struct EntersAtTheFirstAnswer : NoBug<Lamport> {
  HAPAX_RECORD(EntersAtTheFirstAnswer)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const Clock clock = std::visit([](const auto& m) { return m.clock; }, message);
    const Stamp own{field<Clock>(self.real, "asked"), self.view.self};
    if (self.real.phase() == Phase::waiting && own < Stamp{clock, from}) {
      field<NodeSet>(self.real, "awaiting").clear();
    }
    self.real.receive(from, message, fx);
  }
};

// Orders by the clock alone: of two equal ones, each takes its own for the first.
struct TiesGoToOneself : NoBug<Lamport> {
  HAPAX_RECORD(TiesGoToOneself)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const auto* theirs = std::get_if<Lamport::Request>(&message);
    const bool tie = theirs != nullptr && self.real.phase() == Phase::waiting &&
                     theirs->clock == field<Clock>(self.real, "asked");
    if (!tie) return self.real.receive(from, message, fx);
    self.real.receive(from, Lamport::Request{next(theirs->clock)}, fx);
  }
};

}  // namespace hapax::bugs
