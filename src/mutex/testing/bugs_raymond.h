// Planted bugs of Raymond's algorithm.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "mutex/raymond.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::hand_on_if;
using testing::NoBug;

// Does to `fx` what the real step did, but a token that goes out takes no request along.
template <class Self, class Fx>
void hand_on_without_asking(const Fx& real, Self self, Fx& fx) {
  const auto is_token = [](const auto& message) {
    return std::holds_alternative<Raymond::Token>(message);
  };
  const bool passes = std::any_of(real.sends().begin(), real.sends().end(),
                                  [&](const auto& send) { return is_token(send.message); });
  hand_on_if(real, self, fx, [&](NodeId, const auto& m) { return !passes || is_token(m); });
}

// Sends the token on and does not ask for it again on behalf of those who still wait here.
struct ForgetsToAskAgain : NoBug<Raymond> {
  HAPAX_RECORD(ForgetsToAskAgain)

  void release(Self self, Fx& fx) {
    Fx real;
    self.real.release(real);
    hand_on_without_asking(real, self, fx);
  }
  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    Fx real;
    self.real.receive(from, message, real);
    hand_on_without_asking(real, self, fx);
  }
};

// Once nobody waits here, sends the token on and believes that it still has it: two privileges.
struct KeepsTheTokenItSent : NoBug<Raymond> {
  HAPAX_RECORD(KeepsTheTokenItSent)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    self.real.receive(from, message, fx);
    for (const auto& send : fx.sends()) {
      const auto* token = std::get_if<Raymond::Token>(&send.message);
      if (token == nullptr || !field<std::vector<NodeId>>(self.real, "queue").empty()) continue;
      field<NodeId>(self.real, "token_at") = self.view.self;
      field<Turn>(self.real, "turn") = token->turn;
    }
  }
};

}  // namespace hapax::bugs
