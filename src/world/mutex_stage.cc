#include "world/mutex_stage.h"

#include <fmt/format.h>
#include <utility>

#include "base/check.h"

namespace hapax {

MutexStage::MutexStage(Names names, std::vector<Instance> nodes, Epoch epoch,
                       std::unique_ptr<VotingSets> sets)
    : LinkedStage(nodes.at(0).info().name, std::move(names)),
      nodes_(std::move(nodes)),
      epoch_(epoch),
      sets_(std::move(sets)) {
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (nodes_[i].phase() == Phase::inside) record({.kind = Kind::enter, .node = NodeId{i}});
  }
}

// The dead hold nothing.
Holding MutexStage::held_by(NodeId node) const {
  return has_crashed(node) ? Holding{} : at(node).holding();
}

bool MutexStage::all_fit() const {
  std::vector<Holding> all;
  for (std::uint32_t i = 0; i < size(); ++i) all.push_back(held_by(NodeId{i}));
  return may_be_held_together(all, nodes_[0].capacity());
}

void MutexStage::receive(NodeId node, NodeId from, Message message) {
  const bool understood = at(node).receive(from, message, fx_);
  HAPAX_CHECK(understood);
}

void MutexStage::after_step(NodeId node, Lines& lines) {
  if (!fx_.entered()) return;
  const Fence fence{epoch_, *fx_.entered()};
  fences_[number(node)] = fence;
  lines.push_back(fmt::format("{} is inside with fence {}", node, fence));
  record({.kind = Kind::enter, .node = node, .fence = fence});
  if (held_by(node).mode == Mode::shared && all_fit()) return;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const NodeId other{i};
    if (other == node || held_by(other).units == 0) continue;
    lines.push_back(fmt::format("EXCLUSION VIOLATED: {} is inside, too", other));
    record({.kind = Kind::violation, .node = node, .peer = other, .text = lines.back()});
  }
}

Result<Lines> MutexStage::play(const Command& command) {
  const std::string& verb = command[0];
  if (verb == "start") {
    Lines lines;
    for (std::uint32_t i = 0; i < size(); ++i) {
      const NodeId node{i};
      for (std::string& line :
           step(node, {.kind = Kind::told, .text = "start"}, [&] { at(node).start(fx_); })) {
        lines.push_back(std::move(line));
      }
    }
    return lines;
  }
  const auto who = live_node(command, 1);
  if (!who) return who.error();
  Instance& node = at(*who);
  if (verb == "request") return request(command, *who);
  if (verb == "release") {
    if (node.holding().units == 0) return error("{} is {}", command[1], name_of(node.phase()));
    return step(*who, {.kind = Kind::leave}, [&] { node.release(fx_); });
  }
  if (verb == (node.clock() ? "clock" : "turn")) return raise_counter(command, *who);
  if (verb == "regenerate" && node.operations().regenerate != nullptr) {
    return step(*who, told(command), [&] { node.regenerate(fx_); });
  }
  return error("{} has no command '{}'", node.info().name, verb);
}

Result<Lines> MutexStage::request(const Command& command, NodeId who) {
  Instance& node = at(who);
  Mode mode = node.operations().modes.front();
  if (command.size() > 2 && node.operations().shared) {
    if (command[2] != "shared") {
      return error("'{}' is no mode; write: request {} shared", command[2], command[1]);
    }
    mode = Mode::shared;
  }
  if (!node.may_request()) return error("{} is {}", command[1], name_of(node.phase()));
  return step(who, {.kind = Kind::request}, [&] { node.request(mode, fx_); });
}

Result<Lines> MutexStage::raise_counter(const Command& command, NodeId who) {
  const auto value = number_at(command, 2);
  if (!value) return value.error();
  step(who, told(command), [&] { at(who).raise_counter(*value); });
  return Lines{at(who).clock() ? fmt::format("the clock of {} stands at {}", who, *value)
                               : fmt::format("{} counts its turns on from {}", who, *value)};
}

}  // namespace hapax
