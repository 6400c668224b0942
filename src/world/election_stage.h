// An election on stage.
//
//   campaign NODE | suspect NODE PEER… | restore NODE PEER… | commit NODE EPOCH
//
// As its contract asks, a node that is told of a crash and knows no leader campaigns. `commit` is
// the agreed record deciding for a leader: its writes carry that epoch from then on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "election/any_election.h"
#include "world/linked_stage.h"

namespace hapax {

class ElectionStage final : public LinkedStage {
 public:
  // REQUIRES: there are nodes.
  ElectionStage(Names names, std::vector<AnyElection> nodes);

 private:
  Result<Lines> play(const Command& command) override;
  Result<Lines> tell(const Command& command, NodeId who);
  Result<Lines> commit(const Command& command, NodeId who);
  void receive(NodeId node, NodeId from, Message message) override;
  void after_step(NodeId node, Lines& lines) override;
  std::string describe(NodeId node) const override;
  std::string describe(Message message) const override {
    return nodes_[0]->describe_message(message);
  }

  std::vector<AnyElection> nodes_;
  std::vector<std::optional<NodeId>> leaders_;
};

}  // namespace hapax
