// The way to a state of the model of mutual exclusion, as commands of a trace.
#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "check/mutex_model.h"

namespace hapax {
namespace {

std::string_view verb_of(CheckStep kind) {
  switch (kind) {
    case CheckStep::request:
    case CheckStep::request_shared:
      return "request";
    case CheckStep::release:
      return "release";
    case CheckStep::deliver:
      return "deliver";
    case CheckStep::duplicate:
      return "dup";
    case CheckStep::lose:
      return "drop";
    case CheckStep::crash:
      return "crash";
    case CheckStep::act:
      return "act";
  }
  return "?";
}

bool is_of_a_message(CheckStep kind) {
  return kind == CheckStep::deliver || kind == CheckStep::lose || kind == CheckStep::duplicate;
}

}  // namespace

// Takes the message of the step off its link, or doubles it there, and says which it is.
std::uint32_t MutexModel::take(const SearchStep& step, UnderWay& under_way,
                               std::string& command) const {
  std::vector<std::uint32_t>& messages = under_way[link(step.from, step.to)];
  // Over FIFO channels the first; else the first that looks like it.
  auto at = messages.begin();
  if (options_.channels != Channels::fifo) at = std::find(at, messages.end(), step.what);
  HAPAX_CHECK(at != messages.end());
  command += fmt::format("->P{}", step.to + 1);
  if (at != messages.begin()) command += fmt::format(" {}", at - messages.begin() + 1);
  const std::uint32_t message = *at;
  if (kind_of(step) == CheckStep::duplicate) {
    messages.push_back(message);
  } else {
    messages.erase(at);
  }
  return message;
}

std::vector<std::string> MutexModel::tell(const std::vector<SearchStep>& way) {
  std::vector<std::string> commands;
  std::vector<std::uint32_t> locals(first_.begin(), first_.begin() + n_);
  UnderWay under_way(fields_);
  for (std::uint32_t l = n_; l < shared(); ++l) under_way[l] = links_.messages(first_[l]);
  for (const SearchStep& step : way) {
    const CheckStep kind = kind_of(step);
    std::uint32_t who = step.from;
    std::uint32_t input = Reactions::kRelease;
    if (kind == CheckStep::request) input = Reactions::kRequest;
    if (kind == CheckStep::request_shared) input = Reactions::kRequestShared;
    std::string command = fmt::format("{} P{}", verb_of(kind), step.from + 1);
    if (is_of_a_message(kind)) {
      who = step.to;
      input = members_.receive(step.from, take(step, under_way, command));
    }
    if (kind == CheckStep::request_shared) command += " shared";
    commands.push_back(std::move(command));
    const bool is_fault =
        kind == CheckStep::lose || kind == CheckStep::duplicate || kind == CheckStep::crash;
    if (is_fault) continue;
    const Reactions::Reaction reaction = members_.react(who, locals[who], input);
    locals[who] = reaction.local;
    for (const auto& sent : members_.sends(members_.effect(reaction))) {
      under_way[link(who, sent.to)].push_back(sent.message);
    }
    if (options_.forever) lower_clocks(locals, under_way);
  }
  return commands;
}

}  // namespace hapax
