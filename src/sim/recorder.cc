#include "sim/recorder.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"

namespace hapax {
namespace {

std::string name(NodeId node) { return fmt::format("P{}", number(node)); }

// "deliver P0->P1", and which one of those under way, unless it is the oldest.
std::string on_link(std::string_view verb, NodeId from, NodeId to, std::size_t nth) {
  std::string command = fmt::format("{} {}->{}", verb, name(from), name(to));
  if (nth > 0) command += fmt::format(" {}", nth + 1);
  return command;
}

}  // namespace

SimRecorder::SimRecorder(std::string nodes, std::vector<std::string> header) {
  ScriptBlock first;
  for (std::string& line : header) first.comments.push_back("# " + std::move(line));
  first.commands.push_back(std::move(nodes));
  script_.blocks.push_back(std::move(first));
}

void SimRecorder::request(Nanos at, NodeId node) { add(at, "request " + name(node)); }
void SimRecorder::request_shared(Nanos at, NodeId node) {
  add(at, "request " + name(node) + " shared");
}

void SimRecorder::leave(Nanos at, NodeId node) { add(at, "release " + name(node)); }

void SimRecorder::crash(Nanos at, NodeId node) {
  if (crashed_.insert(node)) add(at, "crash " + name(node));
}

void SimRecorder::receive(Nanos at, NodeId from, NodeId to, const Bytes& message) {
  tell_fates();
  if (is_full()) {
    went_on_ = true;
    return;
  }
  std::vector<Bytes>& link = links_[{from, to}];
  const auto found = std::find(link.begin(), link.end(), message);
  HAPAX_CHECK(found != link.end());
  add(at, on_link("deliver", from, to, static_cast<std::size_t>(found - link.begin())));
  link.erase(found);
}

void SimRecorder::sent(NodeId from, NodeId to, Bytes message, std::uint32_t copies) {
  if (!went_on_) fresh_.push_back({from, to, std::move(message), copies});
}

// The player has put everything that the step sent on its way; now some of it gets lost or doubled.
void SimRecorder::tell_fates() {
  for (const Sent& sent : fresh_) links_[{sent.from, sent.to}].push_back(sent.message);
  for (const Sent& sent : std::exchange(fresh_, {})) {
    if (sent.copies == 1) continue;
    std::vector<Bytes>& link = links_[{sent.from, sent.to}];
    const auto found = std::find(link.begin(), link.end(), sent.message);
    const auto nth = static_cast<std::size_t>(found - link.begin());
    const bool is_lost = sent.copies == 0;
    add(now_, on_link(is_lost ? "drop" : "dup", sent.from, sent.to, nth));
    if (is_lost) {
      link.erase(found);
    } else {
      link.push_back(sent.message);
    }
  }
}

void SimRecorder::add(Nanos at, std::string command) {
  tell_fates();
  if (is_full()) {
    went_on_ = true;
    return;
  }
  if (at != now_) {
    now_ = at;
    ScriptBlock block;
    block.comments = {"", fmt::format("# {}", format_duration(at))};
    script_.blocks.push_back(std::move(block));
  }
  script_.blocks.back().commands.push_back(std::move(command));
  ++steps_;
}

Script SimRecorder::script() {
  tell_fates();
  Script script = script_;
  if (went_on_) {
    script.closing = {"",
                      fmt::format("# The run went on; a trace ends after {} steps.", kMostSteps)};
  }
  return script;
}

}  // namespace hapax
