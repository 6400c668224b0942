// Planted bugs of Carvalho and Roucairol's algorithm.
#pragma once

#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/stamp.h"
#include "mutex/carvalho_roucairol.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::hand_on_if;
using testing::NoBug;

// Draws the turn as it asks, not as it enters.
struct TurnIsTheRequestsStamp : NoBug<CarvalhoRoucairol> {
  HAPAX_RECORD(TurnIsTheRequestsStamp)

  void request(Self self, Fx& fx) {
    Fx real;
    self.real.request(real);
    hand_on(real, self, fx);
  }
  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    Fx real;
    self.real.receive(from, message, real);
    hand_on(real, self, fx);
  }

 private:
  static void hand_on(const Fx& real, Self self, Fx& fx) {
    real.for_each_message(self.view.self, self.view.size,
                          [&](NodeId to, const Message& message) { fx.send(to, message); });
    if (real.rejected() != Reject::none) fx.reject(real.rejected());
    const Stamp own{field<Clock>(self.real, "asked"), self.view.self};
    if (real.entered()) fx.enter(turn_of(own, self.view.size));
  }
};

// Hands a permission over and still takes it for its own.
struct KeepsWhatItGave : NoBug<CarvalhoRoucairol> {
  HAPAX_RECORD(KeepsWhatItGave)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    CarvalhoRoucairol before = self.real;
    Fx real;
    self.real.receive(from, message, real);
    hand_on_if(real, self, fx, is_reply);
    if (!std::holds_alternative<CarvalhoRoucairol::Request>(message) || fx.sends().empty()) return;
    before.raise_clock(field<Clock>(self.real, "clock"));
    self.real = before;
  }

 private:
  static bool is_reply(NodeId, const Message& message) {
    return std::holds_alternative<CarvalhoRoucairol::Reply>(message);
  }
};

// Hands a permission to an earlier request while it waits itself, and does not ask for it back.
struct ForgetsToAskBack : NoBug<CarvalhoRoucairol> {
  HAPAX_RECORD(ForgetsToAskBack)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    Fx real;
    self.real.receive(from, message, real);
    hand_on_if(real, self, fx, [](NodeId, const Message& m) {
      return std::holds_alternative<CarvalhoRoucairol::Reply>(m);
    });
  }
};

}  // namespace hapax::bugs
