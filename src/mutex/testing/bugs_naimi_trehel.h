// Planted bugs of Naimi and Tréhel's algorithm.
#pragma once

#include <optional>
#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "mutex/naimi_trehel.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::NoBug;

// Sends the token on with the number that it came with.
struct DoesNotCountTheTurn : NoBug<NaimiTrehel> {
  Turn came_with{};
  HAPAX_RECORD(DoesNotCountTheTurn, came_with)

  void release(Self self, Fx& fx) {
    self.real.release(fx);
    set_back(fx);
  }
  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (const auto* token = std::get_if<NaimiTrehel::Token>(&message)) came_with = token->turn;
    self.real.receive(from, message, fx);
    set_back(fx);
  }

 private:
  void set_back(Fx& fx) const {
    for (auto& send : fx.sends()) {
      if (auto* token = std::get_if<NaimiTrehel::Token>(&send.message)) token->turn = came_with;
    }
  }
};

// A member that notes a next one stays the root, so that another request comes here as well and
// overwrites that note.
struct OverwritesNext : NoBug<NaimiTrehel> {
  HAPAX_RECORD(OverwritesNext)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const bool was_root = !father(self);
    self.real.receive(from, message, fx);
    if (was_root && field<std::optional<NodeId>>(self.real, "next")) father(self).reset();
  }
  void release(Self self, Fx& fx) {
    self.real.release(fx);
    if (!fx.sends().empty()) father(self) = fx.sends().front().to;
  }

 private:
  static std::optional<NodeId>& father(Self self) {
    return field<std::optional<NodeId>>(self.real, "father");
  }
};

// Nobody changes its father: neither a member that asks nor one that passes a request on.
struct KeepsItsFather : NoBug<NaimiTrehel> {
  HAPAX_RECORD(KeepsItsFather)

  void request(Self self, Fx& fx) {
    const std::optional<NodeId> before = father(self);
    self.real.request(fx);
    father(self) = before;
  }
  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (father(self) && std::holds_alternative<NaimiTrehel::Request>(message)) {
      return fx.send(*father(self), message);
    }
    self.real.receive(from, message, fx);
  }

 private:
  static std::optional<NodeId>& father(Self self) {
    return field<std::optional<NodeId>>(self.real, "father");
  }
};

}  // namespace hapax::bugs
