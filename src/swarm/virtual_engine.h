// An engine without one: what a service asks, done to the register at once.
#pragma once

#include "service/orders.h"
#include "view/engine_register.h"

namespace hapax {

// Of a read, always committed: the register is there to be looked at.
inline Outcome carry_out(EngineRegister& engine, const EngineAsk& ask) {
  switch (ask.kind) {
    case EngineAsk::Kind::announce:
    case EngineAsk::Kind::beat:
      return engine.beat(ask.life);
    case EngineAsk::Kind::propose:
      return engine.commit(ask.proposal);
    case EngineAsk::Kind::read:
      break;
  }
  return Outcome::committed;
}

}  // namespace hapax
