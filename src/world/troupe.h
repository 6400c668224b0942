// What mutual exclusion and election have in common on stage: nodes, links, crashes, partitions,
// and the telling of what a step did.
#pragma once

#include <charconv>
#include <concepts>
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

  using Kind = Happening::Kind;

  Troupe(Names names, std::vector<A> nodes)
      : TraceStage(A::kInfo.name, std::move(names)), nodes_(std::move(nodes)) {
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
      next_step();
      record({.kind = Kind::network, .text = "the partition heals"});
      return Lines{"the partition heals"};
    }
    return play(command);
  }

  // Takes a step at a node that lives, and tells about it. `cause` is what made it take the step.
  template <class F>
  Lines step(NodeId node, Happening cause, F&& f) {
    Lines lines;
    next_step();
    const std::size_t first = recorded();
    cause.node = node;
    record(std::move(cause));
    fx_.clear();
    f(nodes_[number(node)], fx_);
    for (const std::string& reason : fx_.reasons()) {
      record({.kind = Kind::note, .node = node, .text = reason});
      if (const auto peer = kept_waiting(reason)) {
        record({.kind = Kind::defer, .node = node, .peer = peer});
      }
      lines.push_back(reason);
    }
    tell_sends(node, lines);
    if (fx_.rejected() != Reject::none) {
      lines.push_back(fmt::format("{} rejects a {}", node, name_of(fx_.rejected())));
      record({.kind = Kind::reject, .node = node, .text = lines.back()});
    }
    after_step(node, lines);
    stamp_since(first, clock_of(nodes_[number(node)]));
    return lines;
  }
  // A command that only this kind of algorithm knows, as the cause of a step.
  static Happening told(const Command& command) {
    std::string text = command[0];
    for (std::size_t i = 2; i < command.size(); ++i) text += ' ' + command[i];
    return {.kind = Kind::told, .text = std::move(text)};
  }

  Result<NodeId> live_node(const Command& command, std::size_t at) const {
    const auto found = node(command, at);
    if (found && crashed_.contains(*found)) return error("{} has crashed", command[at]);
    return found;
  }

  struct Letter {
    MessageId id{};
    Message message;
    HAPAX_RECORD(Letter, id, message)
  };

  Effects<Message> fx_;
  std::vector<A> nodes_;
  Links<Letter> links_;
  NodeSet crashed_;
  NodeSet side_;  // Of a partition; empty if there is none.

 private:
  static std::optional<Clock> clock_of(const A& node) {
    std::optional<Clock> clock;
    for_each_field(node, [&]<class T>(std::string_view name, const T& value) {
      if constexpr (std::same_as<T, const Clock> || std::same_as<T, Clock>) {
        if (name == "clock") clock = value;
      }
    });
    return clock;
  }

  // The reasons speak of it in these words: #1 defers #2, queues #2, keeps #2 waiting, notes #2 as
  // next.
  static std::optional<NodeId> kept_waiting(std::string_view reason) {
    for (const std::string_view verb : {" defers #", " queues #", " keeps #", " notes #"}) {
      const std::size_t at = reason.find(verb);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = reason.substr(at + verb.size());
      std::uint32_t id = 0;
      std::from_chars(rest.data(), rest.data() + rest.size(), id);
      return NodeId{id};
    }
    return std::nullopt;
  }

  void dispatch(NodeId from, NodeId to, const Message& message) {
    last_ = MessageId{number(last_) + 1};
    record(
        {.kind = Kind::send, .node = from, .peer = to, .message = last_, .text = to_text(message)});
    links_.push(from, to, {last_, message});
  }

  void tell_sends(NodeId node, Lines& lines) {
    const auto size = static_cast<std::uint32_t>(nodes_.size());
    for (const auto& send : fx_.sends()) {
      std::vector<NodeId> receivers;
      if (send.reach == Reach::one) receivers = {send.to};
      if (send.reach == Reach::others) {
        for (std::uint32_t to = 0; to < size; ++to) {
          if (to != number(node)) receivers.push_back(NodeId{to});
        }
      }
      for (const NodeId to : fx_.listed(send)) receivers.push_back(to);
      for (const NodeId to : receivers) dispatch(node, to, send.message);
      lines.push_back(
          fmt::format("{} -> {}: {}", node, fmt::join(receivers, " "), to_text(send.message)));
    }
  }

  Lines lose(NodeId from, NodeId to, MessageId id, std::string line) {
    next_step();
    record({.kind = Kind::lost, .node = to, .peer = from, .message = id, .text = line});
    return {std::move(line)};
  }

  Lines deliver(NodeId from, NodeId to, const Letter& letter) {
    const std::string text = to_text(letter.message);
    if (crashed_.contains(to)) {
      return lose(from, to, letter.id,
                  fmt::format("{} from {} is lost: {} has crashed", text, from, to));
    }
    if (!side_.empty() && side_.contains(from) != side_.contains(to)) {
      return lose(from, to, letter.id,
                  fmt::format("{} from {} to {} is lost in the partition", text, from, to));
    }
    const Happening cause{.kind = Kind::receive, .peer = from, .message = letter.id, .text = text};
    return step(to, cause,
                [&](A& a, Effects<Message>& fx) { a.receive(from, letter.message, fx); });
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

  // The NTH of a command on a link, counted from 0 here.
  Result<std::size_t> place_in_link(const Command& command) const {
    if (command.size() <= 2) return std::size_t{0};
    const auto given = number_at(command, 2);
    if (!given) return given.error();
    if (*given == 0) return error("messages are counted from 1");
    return static_cast<std::size_t>(*given - 1);
  }

  // deliver A->B [NTH]: the oldest message of the link, or the nth, which overtakes those before
  // it.
  Result<Lines> deliver_command(const Command& command) {
    const auto ends = link(command);
    if (!ends) return ends.error();
    const auto nth = place_in_link(command);
    if (!nth) return nth.error();
    const std::optional<Letter> letter = links_.take(ends->first, ends->second, *nth);
    if (!letter) return error("no such message is under way on {}", command[1]);
    return deliver(ends->first, ends->second, *letter);
  }

  // drop A->B [NTH], dup A->B [NTH]
  Result<Lines> tamper(const Command& command) {
    const auto ends = link(command);
    if (!ends) return ends.error();
    const auto [from, to] = *ends;
    const auto nth = place_in_link(command);
    if (!nth) return nth.error();
    if (command[0] == "dup") {
      const Letter* letter = links_.peek(from, to, *nth);
      if (letter == nullptr) return error("nothing is under way on {}", command[1]);
      return copy(from, to, Letter{*letter});
    }
    const std::optional<Letter> letter = links_.take(from, to, *nth);
    if (!letter) return error("nothing is under way on {}", command[1]);
    return lose(from, to, letter->id,
                fmt::format("{} from {} to {} is lost", to_text(letter->message), from, to));
  }

  Lines copy(NodeId from, NodeId to, const Letter& letter) {
    const std::string text = to_text(letter.message);
    last_ = MessageId{number(last_) + 1};
    next_step();
    record({.kind = Kind::copied,
            .node = to,
            .peer = from,
            .message = last_,
            .original = letter.id,
            .text = text});
    links_.push(from, to, {last_, letter.message});
    return {fmt::format("{} from {} will arrive twice", text, from)};
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
      lines.push_back(fmt::format("under way {} -> {}: {}", packet.from, packet.to,
                                  to_text(packet.message.message)));
    }
    return lines;
  }
  virtual std::string describe(const A& algorithm) const = 0;

  Result<Lines> crash(const Command& command) {
    const auto who = live_node(command, 1);
    if (!who) return who.error();
    crashed_.insert(*who);
    next_step();
    record({.kind = Kind::crash, .node = *who});
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
    const std::string line = fmt::format("{} are cut off from the others", to_text(side));
    next_step();
    record({.kind = Kind::network, .text = line});
    return Lines{line};
  }

  MessageId last_{};  // The message that was sent last.
};

}  // namespace hapax
