#include "page/steps.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "core/mutex_choices.h"
#include "draw/json.h"
#include "sim/theory.h"
#include "voting/voting_sets.h"
#include "world/chronicle.h"
#include "world/stage.h"

namespace hapax {
namespace {

constexpr std::size_t kMostSteps = 100'000;
constexpr std::size_t kPatience = 20'000;  // Deliveries until one `stabilize` gives up.
constexpr std::size_t kMostMembers = 100;
constexpr std::size_t kMostLooks = 10'000'000;  // At members and messages: some seconds.
constexpr std::string_view kSent = "sent=";
constexpr std::size_t kOften = 1'000;  // Steps between two words of how far it is.

boost::json::array array_of(const Lines& lines) {
  return boost::json::array(lines.begin(), lines.end());
}

// What an entry costs, by the book. Null if the book does not say.
boost::json::value theory_json(const Command& nodes, const Chronicle& scene) {
  const Operations* algorithm = find_algorithm(scene.algorithm);
  const auto n = static_cast<std::uint32_t>(scene.names.size());
  if (algorithm == nullptr || algorithm->info.theory == nullptr || n < 2) return nullptr;
  std::unique_ptr<VotingSets> sets;
  constexpr std::string_view kSets = "voting-sets=";
  for (const std::string& word : nodes) {
    if (!word.starts_with(kSets) || algorithm->info.voting_sets == nullptr) continue;
    Result<VotingSets> chosen = algorithm->info.voting_sets(word.substr(kSets.size()), n);
    if (chosen) sets = std::make_unique<VotingSets>(std::move(*chosen));
  }
  const MutexChoices choices{.voting_sets = sets.get()};
  const Theory theory = theory_of(algorithm->info, n, choices);
  return {{"messages", theory.messages.value}, {"formula", theory.messages.formula}};
}

class Unfolding {
 public:
  using OnSteps = std::function<void(std::size_t)>;
  Unfolding(bool forgiving, const OnSteps& on_steps) : forgiving_(forgiving), on_steps_(on_steps) {}

  Result<std::string> take_apart(const Script& script) {
    for (const ScriptBlock& block : script.blocks) {
      comments_ = block.comments;
      for (const std::string& line : block.commands) {
        const Command command = words_of(line);
        const auto done = command[0] == "nodes" ? begin(line, command) : go_on(line, command);
        if (!done) return error("line {}: {}", block.line, done.error().message);
      }
    }
    end_scene();
    return {boost::system::in_place_value,
            "{\"scenes\":[" + scenes_ +
                "],\"closing\":" + boost::json::serialize(array_of(script.closing)) + '}'};
  }

 private:
  Result<void> begin(const std::string& line, const Command& command) {
    Result<std::unique_ptr<TraceStage>> made = make_stage(command);
    if (!made) return made.error();
    end_scene();
    stage_ = std::move(*made);
    const Chronicle& scene = stage_->chronicle();
    const Operations* algorithm = find_algorithm(scene.algorithm);
    scene_ = {{"algorithm", scene.algorithm},
              {"nodes", array_of(scene.names)},
              {"rests", algorithm == nullptr || !algorithm->info.never_rests},
              {"theory", theory_json(command, scene)},
              {"begin", line},
              {"comments", array_of(std::exchange(comments_, {}))}};
    if (scene.names.size() > kMostMembers) {
      return error("{} members are too many here; use at most {}", scene.names.size(),
                   kMostMembers);
    }
    standings_.clear();
    for (std::uint32_t i = 0; i < scene.names.size(); ++i) {
      standings_.push_back(stage_->standing(NodeId{i}));
    }
    scene_["members"] = array_of(standings_);
    steps_.clear();
    step_count_ = 0;
    links_.clear();
    under_way_.clear();
    follow(0);  // What was under way before the first step.
    return {};
  }

  Result<void> go_on(const std::string& line, const Command& command) {
    if (!stage_) return error("a trace begins with: nodes ALGORITHM NAME …");
    if (command[0] != "stabilize") return take(line, command);
    const std::size_t most = step_count_ + kPatience;
    while (!under_way_.empty()) {  // The oldest first, as `stabilize` does.
      if (step_count_ == most) return error("more than {} deliveries: it does not rest", kPatience);
      const Command next{"deliver", under_way_.front().second};
      if (const auto done = take(next[0] + ' ' + next[1], next); !done) return done.error();
    }
    return {};
  }

  Result<void> take(std::string line, Command command) {
    if (step_count_ == kMostSteps) return error("more than {} steps are too many", kMostSteps);
    if (looks_ > kMostLooks) return error("too many members and messages for so many steps");
    const std::size_t from = stage_->chronicle().happenings.size();
    if (command.size() == 3 && command[2].starts_with(kSent)) {
      const std::size_t place = place_of(command[1], command[2].substr(kSent.size()));
      command[2] = std::to_string(place);
      if (place == 1) command.pop_back();
      line = command[0] + ' ' + command[1] + (place == 1 ? "" : ' ' + command[2]);
    }
    const Result<Lines> lines = stage_->perform(command);
    if (stage_->is_broken()) return lines.error();
    if (!lines && forgiving_) return {};
    follow(from);
    boost::json::object step{{"command", line},
                             {"comments", array_of(std::exchange(comments_, {}))},
                             {"lines", lines ? array_of(*lines) : boost::json::array{}},
                             {"happenings", {from, stage_->chronicle().happenings.size()}},
                             {"members", changed_members(from)}};
    if (!lines) step["error"] = lines.error().message;
    if (step_count_ > 0) steps_ += ',';
    steps_ += boost::json::serialize(step);
    if (++step_count_ % kOften == 0) on_steps_(step_count_);
    return {};
  }

  // Keeps account of what is on each link.
  void follow(std::size_t from) {
    const Chronicle& scene = stage_->chronicle();
    for (std::size_t i = from; i < scene.happenings.size(); ++i) {
      const Happening& h = scene.happenings[i];
      if (h.message == MessageId{}) continue;
      const bool leaves = h.kind == Happening::Kind::send;  // All others are told at the receiver.
      const std::string& here = scene.names[number(*h.node)];
      const std::string& there = scene.names[number(*h.peer)];
      const std::string name = leaves ? here + "->" + there : there + "->" + here;
      Link& link = links_[name];
      if (leaves || h.kind == Happening::Kind::copied) {
        link.under_way.emplace_back(++link.sent, h.message);
        under_way_.emplace_back(h.message, name);
      } else {
        std::erase_if(link.under_way, [&](const auto& one) { return one.second == h.message; });
        std::erase_if(under_way_, [&](const auto& one) { return one.first == h.message; });
      }
    }
  }

  // Where it stands on its link, from 1; if it is not there, where nothing can be.
  std::size_t place_of(const std::string& link, const std::string& sent) {
    const auto& under_way = links_[link].under_way;
    std::size_t place = 1;
    for (const auto& [nth, message] : under_way) {
      if (std::to_string(nth) == sent) return place;
      ++place;
    }
    return place;
  }

  // Only who did something can stand otherwise than before.
  boost::json::array changed_members(std::size_t from) {
    const std::vector<Happening>& all = stage_->chronicle().happenings;
    std::vector<std::uint32_t> whose;
    for (std::size_t i = from; i < all.size(); ++i) {
      if (all[i].node) whose.push_back(number(*all[i].node));
    }
    std::sort(whose.begin(), whose.end());
    whose.erase(std::unique(whose.begin(), whose.end()), whose.end());
    looks_ += 1 + whose.size() + under_way_.size();
    boost::json::array changed;
    for (const std::uint32_t i : whose) {
      std::string now = stage_->standing(NodeId{i});
      if (now == standings_[i]) continue;
      changed.push_back({i, now});
      standings_[i] = std::move(now);
    }
    return changed;
  }

  void end_scene() {
    if (!stage_) return;
    // A hundred thousand steps as values would take three times the time and the memory.
    std::string text = boost::json::serialize(scene_);
    text.pop_back();
    text += ",\"steps\":[" + std::exchange(steps_, {}) + "],\"happenings\":[";
    const Chronicle& scene = stage_->chronicle();
    for (std::size_t i = 0; i < scene.happenings.size(); ++i) {
      if (i > 0) text += ',';
      text += boost::json::serialize(happening_json(scene.happenings[i], scene.names));
    }
    if (!scenes_.empty()) scenes_ += ',';
    scenes_ += text + "]}";
  }

  struct Link {
    std::size_t sent = 0;  // All that was ever put on it.
    std::vector<std::pair<std::size_t, MessageId>> under_way;
  };

  bool forgiving_;
  const OnSteps& on_steps_;
  std::unique_ptr<TraceStage> stage_;
  std::vector<std::string> comments_;  // Of the block, until its first command.
  std::map<std::string, Link> links_;
  std::vector<std::pair<MessageId, std::string>> under_way_;  // On which link; oldest first.
  Lines standings_;                                           // By member, after the last step.
  std::size_t looks_ = 0;
  boost::json::object scene_;
  std::size_t step_count_ = 0;
  std::string steps_, scenes_;  // JSON.
};

}  // namespace

Result<std::string> steps_json(const Script& script, bool forgiving,
                               const std::function<void(std::size_t)>& on_steps) {
  return Unfolding{forgiving, on_steps}.take_apart(script);
}

}  // namespace hapax
