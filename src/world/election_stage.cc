#include "world/election_stage.h"

#include <fmt/format.h>
#include <utility>

namespace hapax {

ElectionStage::ElectionStage(Names names, std::vector<AnyElection> nodes)
    : LinkedStage(nodes.at(0)->info().name, std::move(names)),
      nodes_(std::move(nodes)),
      leaders_(nodes_.size()) {}

void ElectionStage::receive(NodeId node, NodeId from, Message message) {
  nodes_[number(node)]->receive(from, message, fx_);
}

void ElectionStage::after_step(NodeId node, Lines& lines) {
  const std::optional<NodeId> leader = nodes_[number(node)]->leader();
  if (std::exchange(leaders_[number(node)], leader) == leader) return;
  record({.kind = Kind::leader, .node = node, .peer = leader});
  if (!leader) {
    lines.push_back(fmt::format("{} has no leader now", node));
    return;
  }
  lines.push_back(*leader == node ? fmt::format("{} is the leader", node)
                                  : fmt::format("{} has leader {}", node, *leader));
  if (*leader != node) return;
  for (std::uint32_t i = 0; i < leaders_.size(); ++i) {
    const NodeId other{i};
    if (other == node || leaders_[i] != other || has_crashed(other)) continue;
    lines.push_back(fmt::format("TWO LEADERS: {} leads, too", other));
    record({.kind = Kind::violation, .node = node, .peer = other, .text = lines.back()});
  }
}

std::string ElectionStage::describe(NodeId node) const {
  const AnyElection& member = nodes_[number(node)];
  return member->leader()
             ? fmt::format("follows {} in term {}", *member->leader(), number(member->term()))
             : "knows no leader";
}

Result<Lines> ElectionStage::play(const Command& command) {
  const std::string& verb = command[0];
  const auto who = live_node(command, 1);
  if (!who) return who.error();
  if (verb == "campaign") {
    return step(*who, told(command), [&] { nodes_[number(*who)]->campaign(fx_); });
  }
  if (verb == "suspect" || verb == "restore") return tell(command, *who);
  if (verb == "commit") return commit(command, *who);
  return error("{} has no command '{}'", nodes_[0]->info().name, verb);
}

Result<Lines> ElectionStage::tell(const Command& command, NodeId who) {
  Lines lines;
  for (std::size_t i = 2; i < command.size(); ++i) {
    const auto peer = node(command, i);
    if (!peer) return peer.error();
    if (*peer == who) return error("{} cannot suspect itself", command[1]);
    for (std::string& line : step(who, told({command[0], command[1], command[i]}), [&] {
           AnyElection& member = nodes_[number(who)];
           command[0] == "restore" ? member->restore(*peer, fx_) : member->suspect(*peer, fx_);
         })) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

Result<Lines> ElectionStage::commit(const Command& command, NodeId who) {
  const auto epoch = number_at(command, 2);
  if (!epoch) return epoch.error();
  fences_[number(who)] = Fence{Epoch{*epoch}, Turn{}};
  next_step();
  record({.kind = Kind::told, .node = who, .text = fmt::format("epoch {}", *epoch)});
  return Lines{fmt::format("a majority commits epoch {}, led by {}", *epoch, who)};
}

}  // namespace hapax
