// Planted bugs of Ricart and Agrawala's algorithm.
#pragma once

#include <algorithm>
#include <variant>

#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "core/stamp.h"
#include "mutex/ricart_agrawala.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::NoBug;

// Counts replies, where it should keep the set of those who have not replied: each answer, from
// anybody, is one less missing.
struct CountsReplies : NoBug<RicartAgrawala> {
  HAPAX_RECORD(CountsReplies)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const auto* reply = std::get_if<RicartAgrawala::Reply>(&message);
    if (reply == nullptr || self.real.phase() != Phase::waiting) {
      return self.real.receive(from, message, fx);
    }
    const NodeId any = *field<NodeSet>(self.real, "awaiting").begin();
    const Clock asked = field<Clock>(self.real, "asked");
    self.real.receive(any, RicartAgrawala::Reply{std::max(reply->clock, asked)}, fx);
  }
};

// While waiting, lets the later request go first.
struct FlipsTheComparison : NoBug<RicartAgrawala> {
  HAPAX_RECORD(FlipsTheComparison)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const auto* theirs = std::get_if<RicartAgrawala::Request>(&message);
    if (theirs == nullptr || self.real.phase() != Phase::waiting) {
      return self.real.receive(from, message, fx);
    }
    // Show the real one a clock on the other side of its own.
    const Clock asked = field<Clock>(self.real, "asked");
    const bool earlier = Stamp{theirs->clock, from} < Stamp{asked, self.view.self};
    self.real.receive(from, RicartAgrawala::Request{earlier ? next(asked) : Clock{}}, fx);
    self.real.raise_clock(theirs->clock);
    for (auto& send : fx.sends()) send.message = RicartAgrawala::Reply{theirs->clock};
  }
};

// A request does not raise the receiver's clock, so its own next one may come before it.
struct LetsTheClockBe : NoBug<RicartAgrawala> {
  HAPAX_RECORD(LetsTheClockBe)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const Clock before = field<Clock>(self.real, "clock");
    self.real.receive(from, message, fx);
    if (std::holds_alternative<RicartAgrawala::Request>(message)) {
      field<Clock>(self.real, "clock") = before;
    }
  }
};

// Replies at once, and only a request that it defers gets as far as the line that raises the clock.
struct RepliesBeforeTheClock : NoBug<RicartAgrawala> {
  HAPAX_RECORD(RepliesBeforeTheClock)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const Clock before = field<Clock>(self.real, "clock");
    self.real.receive(from, message, fx);
    if (std::holds_alternative<RicartAgrawala::Request>(message) && !fx.sends().empty()) {
      field<Clock>(self.real, "clock") = before;
    }
  }
};

}  // namespace hapax::bugs
