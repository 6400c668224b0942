// Planted bugs of the token ring.
#pragma once

#include <utility>

#include "base/ids.h"
#include "base/record.h"
#include "mutex/testing/mutant.h"
#include "mutex/token_ring.h"

namespace hapax::bugs {

using testing::field;
using testing::NoBug;

// Once, the token also goes to the one after the next, as if the next one had died; and a member
// takes it from anybody.
struct SendsTheRingTokenTwice : NoBug<TokenRing> {
  bool done = false;
  HAPAX_RECORD(SendsTheRingTokenTwice, done)

  void release(Self self, Fx& fx) {
    self.real.release(fx);
    if (self.view.self != self.view.holder || std::exchange(done, true)) return;
    const Message token = fx.sends().front().message;
    fx.send(NodeId{(number(self.view.self) + 2) % self.view.size}, token);
  }
  void receive(Self self, NodeId, const Message& message, Fx& fx) {
    const std::uint32_t n = self.view.size;
    self.real.receive(NodeId{(number(self.view.self) + n - 1) % n}, message, fx);
  }
};

// The last member believes the token lost as it asks, and makes one without a generation of its
// own. So nobody can tell it from the old one, should that turn up after all.
struct RegeneratesTheSameToken : NoBug<TokenRing> {
  bool done = false;
  HAPAX_RECORD(RegeneratesTheSameToken, done)

  void request(Self self, Fx& fx) {
    self.real.request(fx);
    const NodeId last{self.view.size - 1};
    if (self.view.self != last || self.real.has_token() || std::exchange(done, true)) return;
    const auto seen = field<std::uint64_t>(self.real, "generation");
    self.real.receive(NodeId{self.view.size - 2}, TokenRing::Token{seen}, fx);
  }
};

// The same with a generation of its own: right as far as it goes. The old token ends where it meets
// a member that has seen the new one, and until then both are good.
struct RegeneratesTheToken : NoBug<TokenRing> {
  bool done = false;
  HAPAX_RECORD(RegeneratesTheToken, done)

  void request(Self self, Fx& fx) {
    self.real.request(fx);
    const NodeId last{self.view.size - 1};
    if (self.view.self != last || self.real.has_token() || std::exchange(done, true)) return;
    self.real.regenerate(fx);
  }
};

}  // namespace hapax::bugs
