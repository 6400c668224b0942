#include "world/linked_stage.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace hapax {
namespace {

constexpr std::size_t kPatience = 100'000;  // Steps until `stabilize` gives up.

void append(Lines& lines, Lines more) {
  for (std::string& line : more) lines.push_back(std::move(line));
}

}  // namespace

LinkedStage::LinkedStage(std::string_view algorithm, Names names)
    : TraceStage(algorithm, std::move(names)) {
  fx_.explain(true);
}

Result<Lines> LinkedStage::act(const Command& command) {
  const std::string& verb = command[0];
  if (verb == "deliver") {
    const auto letter = find(command, "no such message is under way");
    if (!letter) return letter.error();
    return deliver(take(*letter));
  }
  if (verb == "drop" || verb == "dup") return tamper(command);
  if (verb == "stabilize") return stabilize();
  if (verb == "show") return show();
  if (verb == "crash") return crash(command);
  if (verb == "partition") return partition(command);
  if (verb == "heal") {
    side_ = {};
    return tell_network("the partition heals");
  }
  return play(command);
}

Lines LinkedStage::step(NodeId node, Happening cause, const std::function<void()>& take) {
  Lines lines;
  next_step();
  const std::size_t first = recorded();
  cause.node = node;
  record(std::move(cause));
  fx_.clear();
  take();
  for (const std::string& reason : fx_.reasons()) {
    record({.kind = Kind::note, .node = node, .text = reason});
    lines.push_back(reason);
  }
  for (const NodeId peer : fx_.deferred()) {
    record({.kind = Kind::defer, .node = node, .peer = peer});
  }
  tell_sends(node, lines);
  if (fx_.rejected() != Reject::none) {
    lines.push_back(fmt::format("{} rejects a {}", node, name_of(fx_.rejected())));
    record({.kind = Kind::reject, .node = node, .text = lines.back()});
  }
  after_step(node, lines);
  stamp_since(first, clock_of(node));
  return lines;
}

Happening LinkedStage::told(const Command& command) {
  std::string text = command[0];
  for (std::size_t i = 2; i < command.size(); ++i) text += ' ' + command[i];
  return {.kind = Kind::told, .text = std::move(text)};
}

Result<NodeId> LinkedStage::live_node(const Command& command, std::size_t at) const {
  const auto found = node(command, at);
  if (found && has_crashed(*found)) return error("{} has crashed", command[at]);
  return found;
}

void LinkedStage::put_under_way(NodeId from, NodeId to, Message message) {
  last_ = MessageId{number(last_) + 1};
  std::string text = describe(message);
  record({.kind = Kind::send, .node = from, .peer = to, .message = last_, .text = text});
  under_way_.push_back({from, to, last_, {message.begin(), message.end()}, std::move(text)});
}

void LinkedStage::tell_sends(NodeId node, Lines& lines) {
  for (const auto& send : fx_.sends()) {
    const Message bytes = fx_.bytes(send);
    const std::string text = describe(bytes);
    std::vector<NodeId> receivers;
    fx_.for_each_receiver(send, node, size(), [&](NodeId to) { receivers.push_back(to); });
    for (const NodeId to : receivers) {
      last_ = MessageId{number(last_) + 1};
      record({.kind = Kind::send, .node = node, .peer = to, .message = last_, .text = text});
      under_way_.push_back({node, to, last_, {bytes.begin(), bytes.end()}, text});
    }
    lines.push_back(fmt::format("{} -> {}: {}", node, fmt::join(receivers, " "), text));
  }
}

// --- messages ---

// VERB A->B [NTH]: the oldest message of the link, or the nth.
Result<LinkedStage::Letters::iterator> LinkedStage::find(const Command& command,
                                                         std::string_view missing) {
  const std::size_t arrow = command.size() > 1 ? command[1].find("->") : std::string::npos;
  if (arrow == std::string::npos) return error("'{}' needs a link, e.g. P1->P2", command[0]);
  const auto from = names_.find(command[1].substr(0, arrow));
  const auto to = names_.find(command[1].substr(arrow + 2));
  if (!from) return from.error();
  if (!to) return to.error();
  std::uint64_t nth = 1;
  if (command.size() > 2) {
    const auto given = number_at(command, 2);
    if (!given) return given.error();
    if (*given == 0) return error("messages are counted from 1");
    nth = *given;
  }
  const auto at = std::find_if(under_way_.begin(), under_way_.end(), [&](const Letter& letter) {
    return letter.from == *from && letter.to == *to && --nth == 0;
  });
  if (at == under_way_.end()) return error("{} on {}", missing, command[1]);
  return at;
}

LinkedStage::Letter LinkedStage::take(Letters::iterator at) {
  Letter letter = std::move(*at);
  under_way_.erase(at);
  return letter;
}

Lines LinkedStage::deliver(const Letter& letter) {
  const auto& [from, to, id, bytes, text] = letter;
  if (has_crashed(to)) {
    return lose(letter, fmt::format("{} from {} is lost: {} has crashed", text, from, to));
  }
  if (!side_.empty() && side_.contains(from) != side_.contains(to)) {
    return lose(letter, fmt::format("{} from {} to {} is lost in the partition", text, from, to));
  }
  return step(to, {.kind = Kind::receive, .peer = from, .message = id, .text = text},
              [&] { receive(letter.to, letter.from, letter.bytes); });
}

Lines LinkedStage::lose(const Letter& letter, std::string line) {
  next_step();
  record({.kind = Kind::lost,
          .node = letter.to,
          .peer = letter.from,
          .message = letter.id,
          .text = line});
  return {std::move(line)};
}

Lines LinkedStage::copy(Letter letter) {
  const MessageId original = letter.id;
  letter.id = last_ = MessageId{number(last_) + 1};
  next_step();
  record({.kind = Kind::copied,
          .node = letter.to,
          .peer = letter.from,
          .message = letter.id,
          .original = original,
          .text = letter.text});
  std::string line = fmt::format("{} from {} will arrive twice", letter.text, letter.from);
  under_way_.push_back(std::move(letter));
  return {std::move(line)};
}

// drop A->B [NTH], dup A->B [NTH]
Result<Lines> LinkedStage::tamper(const Command& command) {
  const auto at = find(command, "nothing is under way");
  if (!at) return at.error();
  if (command[0] == "dup") return copy(**at);
  const Letter letter = take(*at);
  return lose(letter, fmt::format("{} from {} to {} is lost", letter.text, letter.from, letter.to));
}

// Delivers everything, oldest first, until nothing is under way.
Result<Lines> LinkedStage::stabilize() {
  Lines lines;
  for (std::size_t steps = 0; !under_way_.empty(); ++steps) {
    if (steps == kPatience) return error("it does not come to rest");
    append(lines, deliver(take(under_way_.begin())));
  }
  return lines;
}

// --- nodes ---

Lines LinkedStage::show() const {
  Lines lines;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const NodeId node{i};
    lines.push_back(fmt::format("{}: {}", node, describe_now(node)));
  }
  for (const Letter& letter : under_way_) {
    lines.push_back(fmt::format("under way {} -> {}: {}", letter.from, letter.to, letter.text));
  }
  return lines;
}

Result<Lines> LinkedStage::crash(const Command& command) {
  const auto who = live_node(command, 1);
  if (!who) return who.error();
  crashed_.insert(*who);
  next_step();
  record({.kind = Kind::crash, .node = *who});
  return Lines{fmt::format("{} crashes", *who)};
}

// partition NAME…: these against the others.
Result<Lines> LinkedStage::partition(const Command& command) {
  NodeSet side;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const auto who = node(command, i);
    if (!who) return who.error();
    side.insert(*who);
  }
  side_ = side;
  return tell_network(fmt::format("{} are cut off from the others", to_text(side)));
}

Lines LinkedStage::tell_network(std::string line) {
  next_step();
  record({.kind = Kind::network, .text = line});
  return {std::move(line)};
}

}  // namespace hapax
