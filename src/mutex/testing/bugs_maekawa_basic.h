// Planted bugs of Maekawa's algorithm as the lectures give it.
#pragma once

#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "voting/maekawa_basic.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::NoBug;

// A voter votes for anybody who asks, even while its vote is somebody else's.
struct VotesTwice : NoBug<MaekawaBasic> {
  HAPAX_RECORD(VotesTwice)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (!std::holds_alternative<MaekawaBasic::Request>(message)) {
      return self.real.receive(from, message, fx);
    }
    fx.send(from, MaekawaBasic::Reply{field<Turn>(self.real, "turn")});
  }
};

}  // namespace hapax::bugs
