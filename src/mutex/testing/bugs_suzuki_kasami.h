// Planted bugs of Suzuki and Kasami's algorithm.
#pragma once

#include <utility>
#include <variant>

#include "base/box.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "mutex/suzuki_kasami.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::NoBug;

// Serves the first two of the queue at once.
struct SendsTheTokenToTwo : NoBug<SuzukiKasami> {
  HAPAX_RECORD(SendsTheTokenToTwo)

  void release(Self self, Fx& fx) {
    self.real.release(fx);
    if (fx.sends().empty()) return;
    Message copy = fx.sends().front().message;
    auto& privilege = std::get<SuzukiKasami::Token>(copy).privilege;
    if (privilege->queue.empty()) return;
    const NodeId second = privilege->queue.pop();
    fx.send(second, copy);
  }
};

// Leaves without a note in the token that its own request was served.
struct ForgetsThatItWasServed : NoBug<SuzukiKasami> {
  HAPAX_RECORD(ForgetsThatItWasServed)

  void release(Self self, Fx& fx) {
    auto& token = field<Box<SuzukiKasami::Privilege>>(self.real, "token");
    const SuzukiKasami::Numbers before = token->served;
    self.real.release(fx);
    if (token) {
      token->served = before;
    } else {
      std::get<SuzukiKasami::Token>(fx.sends().front().message).privilege->served = before;
    }
  }
};

// Does not check whether a request was served long ago: the one with the idle token sends it.
struct ServesOldRequests : NoBug<SuzukiKasami> {
  HAPAX_RECORD(ServesOldRequests)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    self.real.receive(from, message, fx);
    auto& token = field<Box<SuzukiKasami::Privilege>>(self.real, "token");
    if (!token || self.real.phase() != Phase::idle) return;
    fx.send(from, SuzukiKasami::Token{std::exchange(token, {})});
  }
};

}  // namespace hapax::bugs
