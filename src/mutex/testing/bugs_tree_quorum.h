// Planted bugs of the tree quorums.
#pragma once

#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "mutex/testing/mutant.h"
#include "voting/tree_quorum.h"

namespace hapax::bugs {

using testing::hand_on_if;
using testing::NoBug;

// Takes the root for failed, and puts one path below it in its place, not one below each child.
struct PassesTheRootBy : NoBug<TreeQuorum> {
  HAPAX_RECORD(PassesTheRootBy)

  void request(Self self, Fx& fx) {
    Fx real;
    self.real.request(real);
    hand_on_if(real, self, fx, [](NodeId to, const Message&) { return number(to) != 0; });
    if (self.view.self == NodeId{0}) return;
    self.real.receive(NodeId{0}, TreeQuorum::Locked{}, fx);
  }
};

// A voter never asks for its vote back.
struct NeverInquires : NoBug<TreeQuorum> {
  HAPAX_RECORD(NeverInquires)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    Fx real;
    self.real.receive(from, message, real);
    hand_on_if(real, self, fx, [](NodeId, const Message& m) {
      return !std::holds_alternative<TreeQuorum::Inquire>(m);
    });
  }
};

}  // namespace hapax::bugs
