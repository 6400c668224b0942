#include "recorded/recorded_trace.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/doubt.h"
#include "base/duration.h"
#include "base/printable.h"
#include "catalog/catalog.h"
#include "core/instance.h"
#include "voting/voting_sets.h"
#include "wire/codec.h"
#include "world/play.h"

namespace hapax {
namespace {

using session::MemberRecording;
using Kind = LockStep::Kind;

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// A word of the line `nodes`, and nothing else there.
bool is_plain(const std::string& name) {
  const auto is_fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  };
  return !name.empty() && name.size() <= 24 && std::all_of(name.begin(), name.end(), is_fine) &&
         name != "held" && name != "descending" && name != "say-denied";
}

// What people call them, if a trace can; else M1, M2, … by their seats.
std::vector<std::string> names_of(const std::vector<MemberRecording>& members) {
  std::vector<std::string> names;
  for (const MemberRecording& member : members) names.push_back(member.name);
  const std::set<std::string> different{names.begin(), names.end()};
  if (different.size() == names.size() && std::all_of(names.begin(), names.end(), is_plain)) {
    return names;
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = fmt::format("M{}", members[i].member + 1);
  return names;
}

// In the order of their places; an error unless they are one view, and of one mind.
Result<std::vector<MemberRecording>> view_of(const session::Recording& recording) {
  std::vector<MemberRecording> members = recording.members;
  const Error changed = error("the view changed meanwhile; record once more");
  if (members.empty()) return changed;
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.place < b.place; });
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const MemberRecording& member = members[i];
    if (member.epoch != members[0].epoch || member.size != members.size() ||
        member.place != NodeId{i}) {
      return changed;
    }
    const LockStart &start = member.start, &first = members[0].start;
    if (start.algorithm != first.algorithm || start.voting_sets != first.voting_sets ||
        start.home != first.home || number(start.home) >= members.size()) {
      return error("the members do not agree on how the lock is served");
    }
  }
  return members;
}

// Goes through the steps of all members in an order in which they can have happened.
class Player {
 public:
  Player(const session::Recording& recording, std::vector<MemberRecording> members,
         const Operations& algorithm, std::unique_ptr<VotingSets> sets)
      : recording_(recording),
        members_(std::move(members)),
        names_(names_of(members_)),
        algorithm_(algorithm),
        sets_(std::move(sets)),
        at_(members_.size(), 0),
        links_(members_.size() * members_.size()) {}

  Result<RecordedTrace> play() {
    if (const auto begun = begin(); !begun) return begun.error();
    while (const auto next = next_member()) {
      if (const auto done = take_step(*next); !done) return done.error();
    }
    RecordedTrace trace;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      trace.is_cut |= members_[i].is_cut;
      trace.beyond += members_[i].steps.size() - at_[i];
    }
    trace.steps = script_.blocks.size() - 1;
    auto played = hapax::play(script_);
    if (!played) return played.error();
    trace.script = std::move(*played);
    return trace;
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  std::deque<Bytes>& link(NodeId from, NodeId to) {
    return links_[number(from) * size() + number(to)];
  }
  std::string named(NodeId from, NodeId to) const {
    return names_[number(from)] + "->" + names_[number(to)];
  }
  Error unfit(NodeId who, const char* what) const {
    return error("the recording does not fit together: {} {}", names_[number(who)], what);
  }

  Result<void> begin() {
    const LockStart& first = members_[0].start;
    std::string line = fmt::format("nodes {} {}", first.algorithm, fmt::join(names_, " "));
    line += fmt::format(" holder={} epoch={}", names_[number(first.home)], members_[0].epoch);
    if (!first.voting_sets.empty()) line += " voting-sets=" + first.voting_sets;
    const MutexChoices choices{.voting_sets = sets_.get()};
    for (std::uint32_t i = 0; i < size(); ++i) {
      const View view{members_[0].epoch, size(), NodeId{i}, first.home, false};
      Instance node{algorithm_, view, choices};
      Bytes fresh;
      node.encode_to(fresh);
      const Bytes& state = members_[i].start.state;
      if (!node.decode_from(state, size())) return unfit(NodeId{i}, "began in no state at all");
      if (state != fresh) line += fmt::format(" state={}:{}", names_[i], hex(state));
      nodes_.push_back(std::move(node));
    }
    for (std::uint32_t i = 0; i < size(); ++i) {
      const auto done = find_under_way(NodeId{i}, line);
      if (!done) return done.error();
    }
    ScriptBlock block;
    const std::chrono::seconds began{recording_.time_ms / 1000};
    block.comments = {
        fmt::format("# {}, as its members recorded it during {} ms, from {:%Y-%m-%d %H:%M:%S} UTC.",
                    printable(recording_.lock), recording_.for_ms,
                    fmt::gmtime(static_cast<std::time_t>(began.count()))),
        "# Steps of different members that do not depend on each other are in the order of their "
        "clocks."};
    block.commands = {std::move(line)};
    script_.blocks.push_back(std::move(block));
    return {};
  }

  // What had been sent to that member before the sender began, and came after it began itself.
  Result<void> find_under_way(NodeId to, std::string& line) {
    std::vector<bool> has_begun(size(), false);
    has_begun[number(to)] = true;
    for (const LockStep& step : members_[number(to)].steps) {
      if (number(step.peer) >= size()) return unfit(to, "heard from nobody");
      if (step.kind == Kind::mark) has_begun[number(step.peer)] = true;
      if (step.kind != Kind::receive || has_begun[number(step.peer)]) continue;
      link(step.peer, to).push_back(step.message);
      line += fmt::format(" under-way={}:{}", named(step.peer, to), hex(step.message));
    }
    if (std::find(has_begun.begin(), has_begun.end(), false) != has_begun.end()) {
      return unfit(to, "was not told by all others that they record, in time");
    }
    return {};
  }

  // Of those whose next step can happen now, whoever took it first.
  std::optional<NodeId> next_member() {
    std::optional<NodeId> found;
    for (std::uint32_t i = 0; i < size(); ++i) {
      const auto& steps = members_[i].steps;
      while (at_[i] < steps.size() && steps[at_[i]].kind == Kind::mark) ++at_[i];
      if (at_[i] == steps.size()) continue;
      const LockStep& step = steps[at_[i]];
      if (step.kind == Kind::receive && link(step.peer, NodeId{i}).empty()) continue;
      if (!found || step.time_us < next_of(*found).time_us) found = NodeId{i};
    }
    return found;
  }
  const LockStep& next_of(NodeId who) const {
    return members_[number(who)].steps[at_[number(who)]];
  }

  Result<void> take_step(NodeId who) {
    const LockStep& step = next_of(who);
    ++at_[number(who)];
    if (began_us_ == 0) began_us_ = now_us_ = step.time_us;
    now_us_ = std::max(now_us_, step.time_us);  // Clocks of members may differ.
    Instance& node = nodes_[number(who)];
    const std::string& name = names_[number(who)];
    fx_.clear();
    switch (step.kind) {
      case Kind::request:
        if (!node.may_request()) return unfit(who, "asked while it could not");
        node.request(fx_);
        tell("request " + name);
        break;
      case Kind::release:
        if (node.holding().units == 0) return unfit(who, "left without being inside");
        node.release(fx_);
        tell("release " + name);
        break;
      case Kind::receive: {
        auto& under_way = link(step.peer, who);
        if (under_way.front() != step.message) return unfit(who, "received what was not sent");
        under_way.pop_front();
        if (!node.receive(step.peer, step.message, fx_)) return unfit(who, "received no message");
        tell("deliver " + named(step.peer, who));
        break;
      }
      case Kind::raise: {
        const Instance before = node;
        node.raise_counter(step.value);
        if (node == before) break;  // As usual: it had counted as far itself.
        tell(fmt::format("{} {} {}", node.clock() ? "clock" : "turn", name, step.value));
        break;
      }
      case Kind::mark:
        break;
    }
    if (fx_.entered() != step.entered) return unfit(who, "entered otherwise than recorded");
    send_from(who);
    return {};
  }

  void send_from(NodeId who) {
    for (const auto& send : fx_.sends()) {
      const auto bytes = fx_.bytes(send);
      fx_.for_each_receiver(send, who, size(), [&](NodeId to) {
        link(who, to).emplace_back(bytes.begin(), bytes.end());
      });
    }
  }

  void tell(std::string command) {
    ScriptBlock& block = script_.blocks.emplace_back();
    // An empty line ends the outcome before.
    block.comments = {"", "# " + format_duration(static_cast<Nanos>(now_us_ - began_us_) * 1'000)};
    block.commands = {std::move(command)};
  }

  const session::Recording& recording_;
  std::vector<MemberRecording> members_;
  std::vector<std::string> names_;
  const Operations& algorithm_;
  std::unique_ptr<VotingSets> sets_;
  std::vector<Instance> nodes_;
  InstanceEffects fx_;
  std::vector<std::size_t> at_;  // How many of its steps each has taken.
  std::vector<std::deque<Bytes>> links_;
  Script script_;
  std::uint64_t began_us_ = 0, now_us_ = 0;
};

}  // namespace

Result<RecordedTrace> trace_of(const session::Recording& recording) {
  auto members = view_of(recording);
  if (!members) return members.error();
  const LockStart& start = members->front().start;
  const Operations* algorithm = find_algorithm(start.algorithm);
  if (algorithm == nullptr || algorithm->shared) {
    return error("'{}' is no algorithm of a trace", printable(start.algorithm));
  }
  std::unique_ptr<VotingSets> sets;
  if (!start.voting_sets.empty() && algorithm->info.voting_sets != nullptr) {
    auto made =
        algorithm->info.voting_sets(start.voting_sets, static_cast<std::uint32_t>(members->size()));
    if (!made) return made.error();
    sets = std::make_unique<VotingSets>(std::move(*made));
  }
  Player player{recording, std::move(*members), *algorithm, std::move(sets)};
  Result<RecordedTrace> trace = RecordedTrace{};
  const auto done = in_doubt("the recording does not fit together", [&] { trace = player.play(); });
  if (!done) return done.error();
  return trace;
}

Result<RecordedTrace> trace_of_bytes(std::string_view bytes) {
  const auto recording = decode<session::Recording>(
      std::span{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  if (!recording) return error("that is no recording of this release of hapax");
  return trace_of(*recording);
}

}  // namespace hapax
