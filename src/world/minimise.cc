#include "world/minimise.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/id_set.h"

namespace hapax {
namespace {

using Kind = Happening::Kind;

constexpr std::size_t kMostPlayed = 100'000'000;

// What is true at the end of a scene.
struct Ending {
  NodeSet waiting;
  NodeSet inside;
  NodeSet crashed;
  std::map<MessageId, NodeId> under_way;  // And to whom.
};

Ending ending_of(const Chronicle& scene) {
  Ending end;
  for (const Happening& h : scene.happenings) {
    switch (h.kind) {
      case Kind::request:
        end.waiting.insert(*h.node);
        break;
      case Kind::enter:
        end.waiting.erase(*h.node);
        end.inside.insert(*h.node);
        break;
      case Kind::leave:
        end.inside.erase(*h.node);
        break;
      case Kind::crash:
        end.crashed.insert(*h.node);
        end.waiting.erase(*h.node);
        end.inside.erase(*h.node);
        break;
      case Kind::send:
        end.under_way[h.message] = *h.peer;
        break;
      case Kind::copied:
        end.under_way[h.message] = *h.node;
        break;
      case Kind::receive:
      case Kind::lost:
        end.under_way.erase(h.message);
        break;
      default:
        break;
    }
  }
  return end;
}

Flaw dead_end_of(const Chronicle& scene) {
  const Ending end = ending_of(scene);
  const bool moves =
      !end.inside.empty() ||
      std::any_of(end.under_way.begin(), end.under_way.end(),
                  [&](const auto& message) { return !end.crashed.contains(message.second); });
  if (end.waiting.empty() || moves) return {};
  std::string who;
  std::size_t count = 0;
  for (const NodeId node : end.waiting) {
    who += fmt::format("{}{}", who.empty() ? "" : ", ", scene.names[number(node)]);
    ++count;
  }
  return {Flaw::Kind::dead_end,
          fmt::format("{} wait{} for ever: no message is under way{}, nobody is inside", who,
                      count == 1 ? "s" : "", end.under_way.empty() ? "" : " to the living")};
}

// The first happening that is a flaw by itself, of each kind.
void look_at(const Chronicle& scene, std::map<Flaw::Kind, std::string>& seen) {
  std::optional<Fence> last;
  for (const Happening& h : scene.happenings) {
    if (!h.node) continue;
    const std::string& name = scene.names[number(*h.node)];
    if (h.kind == Kind::violation && h.peer) {
      const bool leads = h.text.starts_with("TWO LEADERS");
      const std::string& peer = scene.names[number(*h.peer)];
      seen.try_emplace(leads ? Flaw::Kind::two_leaders : Flaw::Kind::exclusion,
                       leads ? fmt::format("{} leads while {} leads, too", name, peer)
                             : fmt::format("{} enters while {} is inside", name, peer));
    } else if (h.kind == Kind::reject) {
      seen.try_emplace(Flaw::Kind::refusal, h.text);
    } else if (h.kind == Kind::enter && h.fence) {
      if (last && !(*last < *h.fence)) {
        seen.try_emplace(Flaw::Kind::fence,
                         fmt::format("{} enters with fence {} after {}", name, *h.fence, *last));
      }
      last = last ? std::max(*last, *h.fence) : *h.fence;
    }
  }
}

bool takes_a_step(const std::string& command) {
  const std::vector<std::string> words = words_of(command);
  return !words.empty() && words[0] != "nodes" && words[0] != "start";
}

bool failed(const ScriptBlock& block) {
  return !block.outcome.empty() && block.outcome.front().starts_with("error: ");
}

// One command per block, so that each can be left out by itself.
Script one_by_one(const Script& script) {
  Script single;
  single.closing = script.closing;
  for (const ScriptBlock& block : script.blocks) {
    for (std::size_t i = 0; i < block.commands.size(); ++i) {
      ScriptBlock one;
      one.comments = i == 0 ? block.comments : std::vector<std::string>{""};
      one.commands = {block.commands[i]};
      single.blocks.push_back(std::move(one));
    }
  }
  return single;
}

class Minimiser {
 public:
  Minimiser(Script script, Flaw::Kind kind) : best_(std::move(script)), kind_(kind) {}

  Script run() {
    cut_the_end();
    std::size_t before = 0;
    do {
      before = best_.blocks.size();
      for (std::size_t chunk = before / 2; chunk > 0; chunk /= 2) remove_chunks(chunk);
      deliver_in_order();
    } while (best_.blocks.size() < before && played_ < kMostPlayed);
    return std::move(best_);
  }

 private:
  // Takes the candidate if it shows what the trace showed. Steps that cannot be taken without those
  // removed go with them.
  bool take_if_it_shows(Script candidate) {
    if (played_ >= kMostPlayed) return false;
    Result<Performance> played = perform(candidate);
    played_ += candidate.blocks.size();
    if (!played || flaw_of(*played).kind != kind_) return false;
    std::erase_if(played->script.blocks, failed);
    if (played->script.blocks.size() > best_.blocks.size()) return false;
    best_ = std::move(played->script);
    return true;
  }

  // What comes after the violation is not needed for it.
  void cut_the_end() {
    std::size_t low = 1;  // Blocks that are needed at least; a violation stays once it is seen.
    while (kind_ != Flaw::Kind::dead_end && low < best_.blocks.size()) {
      Script half = best_;
      half.blocks.resize((low + best_.blocks.size()) / 2);
      const std::size_t tried = half.blocks.size();
      if (!take_if_it_shows(std::move(half))) low = tried + 1;
    }
  }

  void remove_chunks(std::size_t chunk) {
    // From the end: what is caused goes before its cause.
    for (std::size_t end = best_.blocks.size(); end > 1;) {
      const std::size_t from = end > chunk + 1 ? end - chunk : 1;  // `nodes` stays.
      Script less = best_;
      less.blocks.erase(less.blocks.begin() + static_cast<std::ptrdiff_t>(from),
                        less.blocks.begin() + static_cast<std::ptrdiff_t>(end));
      take_if_it_shows(std::move(less));
      end = std::min(from, best_.blocks.size());
    }
  }

  // A message need not overtake others if the violation comes without it.
  void deliver_in_order() {
    for (std::size_t i = 0; i < best_.blocks.size(); ++i) {
      std::vector<std::string> words = words_of(best_.blocks[i].commands[0]);
      if (words.size() != 3 || words[0] != "deliver") continue;
      Script simpler = best_;
      simpler.blocks[i].commands[0] = words[0] + ' ' + words[1];
      take_if_it_shows(std::move(simpler));
    }
  }

  Script best_;
  Flaw::Kind kind_;
  std::size_t played_ = 0;
};

}  // namespace

std::string_view name_of(Flaw::Kind kind) {
  switch (kind) {
    case Flaw::Kind::none:
      return "nothing";
    case Flaw::Kind::exclusion:
      return "exclusion";
    case Flaw::Kind::two_leaders:
      return "two leaders";
    case Flaw::Kind::fence:
      return "fence";
    case Flaw::Kind::dead_end:
      return "progress";
    case Flaw::Kind::refusal:
      return "protocol";
  }
  return "?";
}

Flaw flaw_of(const Performance& played) {
  std::map<Flaw::Kind, std::string> seen;
  for (const Chronicle& scene : played.scenes) {
    look_at(scene, seen);
    if (Flaw stuck = dead_end_of(scene)) seen.try_emplace(stuck.kind, std::move(stuck.text));
  }
  if (seen.empty()) return {};
  return {seen.begin()->first, seen.begin()->second};  // The gravest first.
}

std::size_t steps_of(const Script& script) {
  std::size_t steps = 0;
  for (const ScriptBlock& block : script.blocks) {
    steps += static_cast<std::size_t>(
        std::count_if(block.commands.begin(), block.commands.end(), takes_a_step));
  }
  return steps;
}

Result<Minimised> minimise(const Script& script) {
  const Result<Performance> played = perform(one_by_one(script));
  if (!played) return played.error();
  const Flaw flaw = flaw_of(*played);
  if (!flaw) return error("the trace shows no violation, and nobody waits as it ends");
  Script sound = played->script;
  std::erase_if(sound.blocks, failed);
  Minimised result;
  result.script = Minimiser{std::move(sound), flaw.kind}.run();
  const Result<Performance> again = perform(result.script);
  if (!again) return again.error();
  result.script = again->script;
  result.flaw = flaw_of(*again);
  result.steps_before = steps_of(script);
  result.steps_after = steps_of(result.script);
  return result;
}

}  // namespace hapax
