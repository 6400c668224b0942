// What mutual exclusion and election have in common on stage: nodes, links, crashes, partitions,
// and the telling of what a step did.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/id_set.h"
#include "base/text.h"
#include "core/effects.h"
#include "world/links.h"
#include "world/stage.h"

namespace hapax {

template <class A>
class Troupe : public TraceStage {
 protected:
  using Message = typename A::Message;
  static constexpr std::size_t kPatience = 100'000;  // Steps until `stabilize` gives up.

  Troupe(Names names, std::vector<A> nodes)
      : TraceStage(std::move(names)), nodes_(std::move(nodes)) {
    fx_.explain(true);
  }

  // Called after every step of a node, to add what only this kind of algorithm tells.
  virtual void after_step(NodeId node, Lines& lines) = 0;
  // The command of one kind of algorithm, or an error.
  virtual Result<Lines> play(const Command& command) = 0;

  Result<Lines> act(const Command& command) final {
    const std::string& verb = command[0];
    if (verb == "deliver") return deliver_command(command);
    if (verb == "drop" || verb == "dup") return tamper(command);
    if (verb == "stabilize") return stabilize();
    if (verb == "show") return show();
    if (verb == "crash") return crash(command);
    if (verb == "partition") return partition(command);
    if (verb == "heal") {
      side_ = {};
      return Lines{"the partition heals"};
    }
    return play(command);
  }

  // Takes a step at a node that lives, and tells about it.
  template <class F>
  Lines step(NodeId node, F&& f) {
    Lines lines;
    fx_.clear();
    f(nodes_[number(node)], fx_);
    for (const std::string& reason : fx_.reasons()) lines.push_back(reason);
    tell_sends(node, lines);
    if (fx_.rejected() != Reject::none) {
      lines.push_back(fmt::format("{} rejects a {}", node, name_of(fx_.rejected())));
    }
    after_step(node, lines);
    return lines;
  }

  Result<NodeId> live_node(const Command& command, std::size_t at) const {
    const auto found = node(command, at);
    if (found && crashed_.contains(*found)) return error("{} has crashed", command[at]);
    return found;
  }

  Effects<Message> fx_;
  std::vector<A> nodes_;
  Links<Message> links_;
  NodeSet crashed_;
  NodeSet side_;  // Of a partition; empty if there is none.

 private:
  void tell_sends(NodeId node, Lines& lines) {
    const auto size = static_cast<std::uint32_t>(nodes_.size());
    for (const auto& send : fx_.sends()) {
      std::vector<NodeId> receivers;
      if (send.reach == Effects<Message>::Send::Reach::one) receivers = {send.to};
      if (send.reach == Effects<Message>::Send::Reach::others) {
        for (std::uint32_t to = 0; to < size; ++to) {
          if (to != number(node)) receivers.push_back(NodeId{to});
        }
      }
      for (const NodeId to : fx_.listed(send)) receivers.push_back(to);
      for (const NodeId to : receivers) links_.push(node, to, send.message);
      lines.push_back(
          fmt::format("{} -> {}: {}", node, fmt::join(receivers, " "), to_text(send.message)));
    }
  }

  Lines deliver(NodeId from, NodeId to, const Message& message) {
    if (crashed_.contains(to)) {
      return {fmt::format("{} from {} is lost: {} has crashed", to_text(message), from, to)};
    }
    if (!side_.empty() && side_.contains(from) != side_.contains(to)) {
      return {fmt::format("{} from {} to {} is lost in the partition", to_text(message), from, to)};
    }
    return step(to, [&](A& a, Effects<Message>& fx) { a.receive(from, message, fx); });
  }

  // A->B
  Result<std::pair<NodeId, NodeId>> link(const Command& command) const {
    const std::size_t arrow = command.size() > 1 ? command[1].find("->") : std::string::npos;
    if (arrow == std::string::npos) return error("'{}' needs a link, e.g. P1->P2", command[0]);
    const auto from = names_.find(command[1].substr(0, arrow));
    const auto to = names_.find(command[1].substr(arrow + 2));
    if (!from) return from.error();
    if (!to) return to.error();
    return std::pair{*from, *to};
  }

  // deliver A->B [NTH]: the oldest message of the link, or the nth, which overtakes those before
  // it.
  Result<Lines> deliver_command(const Command& command) {
    const auto ends = link(command);
    if (!ends) return ends.error();
    std::size_t nth = 0;
    if (command.size() > 2) {
      const auto given = number_at(command, 2);
      if (!given) return given.error();
      if (*given == 0) return error("messages are counted from 1");
      nth = static_cast<std::size_t>(*given - 1);
    }
    const std::optional<Message> message = links_.take(ends->first, ends->second, nth);
    if (!message) return error("no such message is under way on {}", command[1]);
    return deliver(ends->first, ends->second, *message);
  }

  Result<Lines> tamper(const Command& command) {
    const auto ends = link(command);
    if (!ends) return ends.error();
    const Message* oldest = links_.oldest(ends->first, ends->second);
    if (oldest == nullptr) return error("nothing is under way on {}", command[1]);
    const std::string text = to_text(*oldest);
    if (command[0] == "dup") {
      links_.push(ends->first, ends->second, Message{*oldest});
      return Lines{fmt::format("{} from {} will arrive twice", text, ends->first)};
    }
    links_.take(ends->first, ends->second);
    return Lines{fmt::format("{} from {} to {} is lost", text, ends->first, ends->second)};
  }

  // Delivers everything, oldest first, until nothing is under way.
  Result<Lines> stabilize() {
    Lines lines;
    for (std::size_t steps = 0; !links_.empty(); ++steps) {
      if (steps == kPatience) return error("it does not come to rest");
      const auto packet = links_.packets().front();
      links_.take(packet.from, packet.to);
      for (std::string& line : deliver(packet.from, packet.to, packet.message)) {
        lines.push_back(std::move(line));
      }
    }
    return lines;
  }

  Result<Lines> show() const {
    Lines lines;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      std::string state = crashed_.contains(NodeId{i}) ? "crashed" : describe(nodes_[i]);
      lines.push_back(fmt::format("{}: {}", NodeId{i}, state));
    }
    for (const auto& packet : links_.packets()) {
      lines.push_back(
          fmt::format("under way {} -> {}: {}", packet.from, packet.to, to_text(packet.message)));
    }
    return lines;
  }
  virtual std::string describe(const A& algorithm) const = 0;

  Result<Lines> crash(const Command& command) {
    const auto who = live_node(command, 1);
    if (!who) return who.error();
    crashed_.insert(*who);
    return Lines{fmt::format("{} crashes", *who)};
  }

  // partition NAME…: these against the others.
  Result<Lines> partition(const Command& command) {
    NodeSet side;
    for (std::size_t i = 1; i < command.size(); ++i) {
      const auto who = node(command, i);
      if (!who) return who.error();
      side.insert(*who);
    }
    side_ = side;
    return Lines{fmt::format("{} are cut off from the others", to_text(side))};
  }
};

}  // namespace hapax
