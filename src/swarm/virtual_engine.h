// An engine in virtual time: answers come late, too late or not at all.
#pragma once

#include <functional>
#include <optional>

#include "service/orders.h"
#include "swarm/stage.h"
#include "view/engine_register.h"

namespace hapax {

// What a service asks, done to the register. Of a read, always committed: it is there to be read.
Outcome carry_out(EngineRegister& engine, const EngineAsk& ask);

class VirtualEngine {
 public:
  explicit VirtualEngine(SwarmStage& stage) : stage_(stage) {}

  // Answered once, within the time limit of a member: what became of it, and the register if it was
  // a read that came through. `is_deaf`: nothing of that member reaches it.
  using Answer = std::function<void(Outcome, const Register*)>;
  void ask(const EngineAsk& ask, bool is_deaf, Answer answer);

  EngineRegister state;

 private:
  SwarmStage& stage_;
};

}  // namespace hapax
