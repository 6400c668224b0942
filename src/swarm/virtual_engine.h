// An engine in virtual time: answers come late, too late or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "service/orders.h"
#include "swarm/stage.h"
#include "view/engine_register.h"

namespace hapax {

// What a service asks, done to the register. Of a read, always committed: it is there to be read.
Outcome carry_out(EngineRegister& engine, const EngineAsk& ask);

class VirtualEngine {
 public:
  explicit VirtualEngine(SwarmStage& stage) : stage_(stage) {}

  struct Done {
    Outcome outcome = Outcome::unknown;
    std::uint64_t revision = 0;    // As of then.
    std::optional<Register> read;  // If it was a read that came through …
    Span ttl{};                    // … and the TTL that was set; 0: none was.
  };
  // Answered once, within the time limit of a member. `is_deaf`: nothing of that member reaches it.
  using Answer = std::function<void(const Done&)>;
  void ask(const EngineAsk& ask, bool is_deaf, Answer answer);

  // It loses all that it knew; or what it learned since the last copy.
  // Somebody sets other settings: the next view goes by those algorithms, and beats by that TTL.
  void set(std::string_view algorithms, Span ttl);
  void wipe();
  void copy() { copy_ = {state, revision_}; }
  void restore();

  EngineRegister state;

 private:
  Span ttl_{};  // That was set. Neither wiped nor restored: see SwarmPlan::settings.
  std::uint64_t revision_ = 0;  // Grows with every commit.
  std::pair<EngineRegister, std::uint64_t> copy_;
  SwarmStage& stage_;
};

}  // namespace hapax
