// An election on stage.
//
//   campaign NODE | suspect NODE PEER… | restore NODE PEER… | commit NODE EPOCH
//
// As its contract asks, a node that is told of a fall and knows no leader campaigns. `commit` is
// the agreed record deciding for a leader: its writes carry that epoch from then on.
#pragma once

#include <optional>

#include "core/election_algorithm.h"
#include "world/troupe.h"

namespace hapax {

template <ElectionAlgorithm A>
class ElectionStage final : public Troupe<A> {
  using Base = Troupe<A>;
  using Message = typename Base::Message;
  using Fx = Effects<Message>;
  using Kind = Happening::Kind;

 public:
  ElectionStage(Names names, std::vector<A> nodes)
      : Base(std::move(names), std::move(nodes)), leaders_(this->nodes_.size()) {}

 private:
  void after_step(NodeId node, Lines& lines) override {
    const std::optional<NodeId> leader = this->nodes_[number(node)].leader();
    if (std::exchange(leaders_[number(node)], leader) == leader) return;
    this->record({.kind = Kind::leader, .node = node, .peer = leader});
    if (!leader) {
      lines.push_back(fmt::format("{} has no leader now", node));
      return;
    }
    lines.push_back(*leader == node ? fmt::format("{} is the leader", node)
                                    : fmt::format("{} has leader {}", node, *leader));
    if (*leader != node) return;
    for (std::uint32_t i = 0; i < leaders_.size(); ++i) {
      if (NodeId{i} != node && leaders_[i] == NodeId{i} && !this->crashed_.contains(NodeId{i})) {
        lines.push_back(fmt::format("TWO LEADERS: {} leads, too", NodeId{i}));
        this->record(
            {.kind = Kind::violation, .node = node, .peer = NodeId{i}, .text = lines.back()});
      }
    }
  }

  std::string describe(const A& a) const override {
    return a.leader() ? fmt::format("follows {} in term {}", *a.leader(), number(a.term()))
                      : "knows no leader";
  }

  Result<Lines> play(const Command& command) override {
    const std::string& verb = command[0];
    const auto who = this->live_node(command, 1);
    if (!who) return who.error();
    if (verb == "campaign") {
      return this->step(*who, this->told(command), [](A& a, Fx& fx) { a.campaign(fx); });
    }
    if (verb == "suspect" || verb == "restore") return tell(command, *who);
    if (verb == "commit") {
      const auto epoch = this->number_at(command, 2);
      if (!epoch) return epoch.error();
      this->fences_[number(*who)] = Fence{Epoch{*epoch}, Turn{}};
      this->next_step();
      this->record({.kind = Kind::told, .node = *who, .text = fmt::format("epoch {}", *epoch)});
      return Lines{fmt::format("a majority commits epoch {}, led by {}", *epoch, *who)};
    }
    return error("{} has no command '{}'", A::kInfo.name, verb);
  }

  Result<Lines> tell(const Command& command, NodeId who) {
    Lines lines;
    for (std::size_t i = 2; i < command.size(); ++i) {
      const auto peer = this->node(command, i);
      if (!peer) return peer.error();
      if (*peer == who) return error("{} cannot suspect itself", command[1]);
      for (std::string& line :
           this->step(who, this->told({command[0], command[1], command[i]}), [&](A&a, Fx&fx) {
             if (command[0] == "restore") return a.restore(*peer, fx);
             a.suspect(*peer, fx);
             if (!a.leader()) a.campaign(fx);
           })) {
        lines.push_back(std::move(line));
      }
    }
    return lines;
  }

  std::vector<std::optional<NodeId>> leaders_;
};

}  // namespace hapax
