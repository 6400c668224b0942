#include "swarm/virtual_engine.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace hapax {

Outcome carry_out(EngineRegister& engine, const EngineAsk& ask) {
  switch (ask.kind) {
    case EngineAsk::Kind::announce:
    case EngineAsk::Kind::beat:
      return engine.beat(ask.life, ask.ttl_ms);
    case EngineAsk::Kind::propose:
      return engine.commit(ask.proposal);
    case EngineAsk::Kind::read:
      break;
  }
  return Outcome::committed;
}

void VirtualEngine::ask(const EngineAsk& ask, bool is_deaf, Answer answer) {
  const SwarmPlan& plan = stage_.plan;
  const bool loses = stage_.strikes(plan.lost_answers, 1'000);
  const bool reaches = !is_deaf && (!loses || stage_.prng.below(2) == 0);
  const bool answers = !is_deaf && !loses;
  const Instant there = stage_.now() + stage_.about(plan.engine_latency);
  const Instant limit = stage_.now() + plan.times.engine_limit();
  const Instant back = answers ? there + stage_.about(plan.engine_latency) : limit;

  const auto done = std::make_shared<Done>();
  if (reaches) {
    stage_.agenda.at(there, [this, ask, done] {
      EngineAsk written = ask;
      if (stage_.plan.blunt && ttl_ != Span{0}) {
        written.ttl_ms = static_cast<std::uint32_t>(ttl_ / std::chrono::milliseconds{1});
      }
      done->outcome = carry_out(state, written);
      if (ask.kind == EngineAsk::Kind::read) {
        done->read = state.reg;
        done->ttl = ttl_;
      } else if (done->outcome == Outcome::committed) {
        ++revision_;
      }
      done->revision = revision_;
    });
  }
  if (back >= limit) {
    return stage_.agenda.at(limit, [answer = std::move(answer)] { answer(Done{}); });
  }
  stage_.agenda.at(back, [done, answer = std::move(answer)] { answer(*done); });
}

void VirtualEngine::set(std::string_view algorithms, Span ttl) {
  Register& reg = state.reg;
  if (reg.version == 0) return;
  Roll next = reg.roll.next(Epoch{number(reg.roll.epoch) + 1});
  next.members = reg.roll.members;
  next.algorithms = algorithms;
  reg.roll = std::move(next);
  ++reg.version;
  ++revision_;
  ttl_ = ttl;
}

void VirtualEngine::wipe() {
  state = {};
  revision_ = 0;
}

void VirtualEngine::restore() {
  state = copy_.first;
  revision_ = copy_.second;
}

}  // namespace hapax
