// What mutual exclusion and election have in common on stage: nodes, links, crashes, partitions,
// and the account of what a step did.
//
//   deliver A->B [NTH] | drop A->B [NTH] | dup A->B [NTH] | stabilize | show
//   crash NODE | partition NODE… | heal
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id_set.h"
#include "core/instance.h"
#include "world/stage.h"

namespace hapax {

class LinkedStage : public TraceStage {
 protected:
  using Kind = Happening::Kind;
  using Message = std::span<const std::uint8_t>;

  LinkedStage(std::string_view algorithm, Names names);

  // The command of one kind of algorithm, or an error.
  virtual Result<Lines> play(const Command& command) = 0;
  // The node takes the step into fx_.
  virtual void receive(NodeId node, NodeId from, Message message) = 0;
  // Called after every step of a node, to add what only this kind of algorithm tells.
  virtual void after_step(NodeId node, Lines& lines) = 0;
  virtual std::string describe(NodeId node) const = 0;
  virtual std::string describe(Message message) const = 0;
  virtual std::optional<Clock> clock_of(NodeId) const { return std::nullopt; }

  Result<Lines> act(const Command& command) final;
  std::string describe_now(NodeId node) const final {
    return has_crashed(node) ? "crashed" : describe(node);
  }

  // Takes a step into fx_ at a node that lives, and tells about it. `cause` is what made it take
  // the step.
  Lines step(NodeId node, Happening cause, const std::function<void()>& take);
  // A command that only this kind of algorithm knows, as the cause of a step.
  static Happening told(const Command& command);
  Result<NodeId> live_node(const Command& command, std::size_t at) const;
  // REQUIRES: it is a message.
  void put_under_way(NodeId from, NodeId to, Message message);
  bool has_crashed(NodeId node) const { return crashed_.contains(node); }
  std::uint32_t size() const { return names_.count(); }

  InstanceEffects fx_;

 private:
  // A message under way.
  struct Letter {
    NodeId from{};
    NodeId to{};
    MessageId id{};
    std::vector<std::uint8_t> bytes;
    std::string text;
  };
  using Letters = std::vector<Letter>;

  void tell_sends(NodeId node, Lines& lines);
  Result<Letters::iterator> find(const Command& command, std::string_view missing);
  Letter take(Letters::iterator at);

  Lines deliver(const Letter& letter);
  Lines lose(const Letter& letter, std::string line);
  Lines copy(Letter letter);
  Result<Lines> tamper(const Command& command);
  Result<Lines> stabilize();
  Lines show() const;
  Result<Lines> crash(const Command& command);
  Result<Lines> partition(const Command& command);
  Lines tell_network(std::string line);

  Letters under_way_;  // In the order of sending. A link neither loses nor reorders by itself.
  NodeSet crashed_;
  NodeSet side_;      // Of a partition; empty if there is none.
  MessageId last_{};  // The message that was sent last.
};

}  // namespace hapax
