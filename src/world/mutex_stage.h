// A mutual-exclusion algorithm on stage.
//
//   start | request NODE [shared] | release NODE | regenerate NODE
//   clock NODE VALUE | turn NODE VALUE   counts on from there, whichever of the two it counts
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/instance.h"
#include "voting/voting_sets.h"
#include "world/linked_stage.h"

namespace hapax {

class MutexStage final : public LinkedStage {
 public:
  // Keeps the voting sets that its nodes refer to, if any. REQUIRES: there are nodes.
  MutexStage(Names names, std::vector<Instance> nodes, Epoch epoch,
             std::unique_ptr<VotingSets> sets);
  // A message that had been sent before the trace begins.
  using LinkedStage::put_under_way;

 private:
  Instance& at(NodeId node) { return nodes_[number(node)]; }
  const Instance& at(NodeId node) const { return nodes_[number(node)]; }
  Holding held_by(NodeId node) const;
  bool all_fit() const;

  Result<Lines> play(const Command& command) override;
  Result<Lines> request(const Command& command, NodeId who);
  Result<Lines> raise_counter(const Command& command, NodeId who);
  void receive(NodeId node, NodeId from, Message message) override;
  void after_step(NodeId node, Lines& lines) override;
  std::string describe(NodeId node) const override { return at(node).describe(); }
  std::string describe(Message message) const override {
    return nodes_[0].operations().describe_message(message);
  }
  std::optional<Clock> clock_of(NodeId node) const override { return at(node).clock(); }

  std::vector<Instance> nodes_;
  Epoch epoch_;
  std::unique_ptr<VotingSets> sets_;
};

}  // namespace hapax
