// A mutual-exclusion algorithm on stage.
//
//   start | request NODE [shared] | release NODE | clock NODE VALUE | regenerate NODE
#pragma once

#include <memory>

#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "voting/voting_sets.h"
#include "world/troupe.h"

namespace hapax {

template <MutexAlgorithm A>
class MutexStage final : public Troupe<A> {
  using Base = Troupe<A>;
  using Message = typename Base::Message;
  using Fx = Effects<Message>;
  using Kind = Happening::Kind;

 public:
  // Keeps the voting sets that its nodes refer to.
  MutexStage(Names names, std::vector<A> nodes, Epoch epoch, std::unique_ptr<VotingSets> sets)
      : Base(std::move(names), std::move(nodes)), epoch_(epoch), sets_(std::move(sets)) {
    for (std::uint32_t i = 0; i < this->nodes_.size(); ++i) {
      if (this->nodes_[i].phase() != Phase::inside) continue;
      this->record({.kind = Kind::enter, .node = NodeId{i}});
    }
  }

 private:
  void after_step(NodeId node, Lines& lines) override {
    if (!this->fx_.entered()) return;
    const Fence fence{epoch_, *this->fx_.entered()};
    this->fences_[number(node)] = fence;
    lines.push_back(fmt::format("{} is inside with fence {}", node, fence));
    this->record({.kind = Kind::enter, .node = node, .fence = fence});
    const Holding own = held_by(number(node));
    const bool fits = own.mode == Mode::shared && all_fit();
    for (std::uint32_t i = 0; i < this->nodes_.size(); ++i) {
      if (NodeId{i} != node && held_by(i).units > 0 && !fits) {
        lines.push_back(fmt::format("EXCLUSION VIOLATED: {} is inside, too", NodeId{i}));
        this->record(
            {.kind = Kind::violation, .node = node, .peer = NodeId{i}, .text = lines.back()});
      }
    }
  }

  // The dead hold nothing.
  Holding held_by(std::uint32_t i) const {
    if (this->crashed_.contains(NodeId{i})) return {};
    if constexpr (SharedAlgorithm<A>) return this->nodes_[i].holding();
    return {Mode::exclusive, this->nodes_[i].phase() == Phase::inside ? 1u : 0u};
  }
  bool all_fit() const {
    std::vector<Holding> all;
    for (std::uint32_t i = 0; i < this->nodes_.size(); ++i) all.push_back(held_by(i));
    if constexpr (SharedAlgorithm<A>) {
      return may_be_held_together(all, this->nodes_[0].capacity());
    }
    return may_be_held_together(all, 1);
  }

  std::string describe(const A& a) const override { return fields_text(a); }

  Result<Lines> play(const Command& command) override {
    const std::string& verb = command[0];
    if (verb == "start") {
      Lines lines;
      for (std::uint32_t i = 0; i < this->nodes_.size(); ++i) {
        for (std::string& line : start_one(NodeId{i})) {
          lines.push_back(std::move(line));
        }
      }
      return lines;
    }
    const auto who = this->live_node(command, 1);
    if (!who) return who.error();
    const Phase phase = this->nodes_[number(*who)].phase();
    if constexpr (SharedAlgorithm<A>) {
      A& member = this->nodes_[number(*who)];
      const bool shared = verb == "request" && command.size() > 2;
      if (shared && command[2] != "shared") {
        return error("'{}' is no mode; write: request {} shared", command[2], command[1]);
      }
      if (verb == "request" && member.may_request()) {
        return this->step(*who, {.kind = Kind::request}, [&](A& a, Fx& fx) {
          shared ? a.request(Mode::shared, fx) : a.request(fx);
        });
      }
      if (verb == "release" && member.holding().units > 0) {
        return this->step(*who, {.kind = Kind::leave}, [](A& a, Fx& fx) { a.release(fx); });
      }
    }
    if (verb == "request") {
      if (phase != Phase::idle) return error("{} is {}", command[1], name_of(phase));
      return this->step(*who, {.kind = Kind::request}, [](A& a, Fx& fx) { a.request(fx); });
    }
    if (verb == "release") {
      if (phase != Phase::inside) return error("{} is {}", command[1], name_of(phase));
      return this->step(*who, {.kind = Kind::leave}, [](A& a, Fx& fx) { a.release(fx); });
    }
    if constexpr (requires(A a) { a.raise_clock(Clock{}); }) {
      if (verb == "clock") {
        const auto value = this->number_at(command, 2);
        if (!value) return value.error();
        this->step(*who, this->told(command), [&](A& a, Fx&) { a.raise_clock(Clock{*value}); });
        return Lines{fmt::format("the clock of {} stands at {}", *who, *value)};
      }
    }
    if constexpr (requires(A a, Fx fx) { a.regenerate(fx); }) {
      if (verb == "regenerate") {
        return this->step(*who, this->told(command), [](A& a, Fx& fx) { a.regenerate(fx); });
      }
    }
    return error("{} has no command '{}'", A::kInfo.name, verb);
  }

  Lines start_one(NodeId node) {
    return this->step(node, {.kind = Kind::told, .text = "start"},
                      [](A& a, Fx& fx) { start(a, fx); });
  }

  Epoch epoch_;
  std::unique_ptr<VotingSets> sets_;
};

}  // namespace hapax
