#include "page/steps.h"

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
constexpr std::string_view kUnderWay = "under way ";

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
  explicit Unfolding(bool forgiving) : forgiving_(forgiving) {}

  Result<boost::json::object> take_apart(const Script& script) {
    for (const ScriptBlock& block : script.blocks) {
      comments_ = block.comments;
      for (const std::string& line : block.commands) {
        const Command command = words_of(line);
        const auto done = command[0] == "nodes" ? begin(line, command) : go_on(line, command);
        if (!done) return error("line {}: {}", block.line, done.error().message);
      }
    }
    end_scene();
    return boost::json::object{{"scenes", std::move(scenes_)}};
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
    look();
    boost::json::array members;
    for (std::size_t i = 0; i < scene.names.size(); ++i) members.emplace_back(state_of(i));
    scene_["members"] = std::move(members);
    steps_.clear();
    links_.clear();
    return {};
  }

  Result<void> go_on(const std::string& line, const Command& command) {
    if (!stage_) return error("a trace begins with: nodes ALGORITHM NAME …");
    if (command[0] != "stabilize") return take(line, command);
    const std::size_t most = steps_.size() + kPatience;
    for (Command next = oldest(); !next.empty(); next = oldest()) {
      if (steps_.size() == most)
        return error("more than {} deliveries: it does not rest", kPatience);
      if (const auto done = take(next[0] + ' ' + next[1], next); !done) return done.error();
    }
    return {};
  }

  Result<void> take(std::string line, Command command) {
    if (steps_.size() == kMostSteps) return error("more than {} steps are too many", kMostSteps);
    if (looks_ > kMostLooks) return error("too many members and messages for so many steps");
    const std::size_t from = stage_->chronicle().happenings.size();
    if (command.size() == 3 && command[2].starts_with(kSent)) {
      const std::size_t place = place_of(command[1], command[2].substr(kSent.size()));
      command[2] = std::to_string(place);
      if (place == 1) command.pop_back();
      line = command[0] + ' ' + command[1] + (place == 1 ? "" : ' ' + command[2]);
    }
    const Result<Lines> lines = stage_->perform(command);
    if (!lines && forgiving_) return {};
    follow(from);
    boost::json::object step{{"command", line},
                             {"comments", array_of(std::exchange(comments_, {}))},
                             {"lines", lines ? array_of(*lines) : boost::json::array{}},
                             {"happenings", {from, stage_->chronicle().happenings.size()}},
                             {"members", changed_members()}};
    if (!lines) step["error"] = lines.error().message;
    steps_.push_back(std::move(step));
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
      Link& link = links_[leaves ? here + "->" + there : there + "->" + here];
      if (leaves || h.kind == Happening::Kind::copied) {
        link.under_way.emplace_back(++link.sent, h.message);
      } else {
        std::erase_if(link.under_way, [&](const auto& one) { return one.second == h.message; });
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

  // The delivery that `stabilize` makes first.
  Command oldest() const {
    for (const std::string& line : shown_) {
      if (!line.starts_with(kUnderWay)) continue;
      const Command words = words_of(line.substr(kUnderWay.size()));  // A -> B: …
      return {"deliver", words[0] + "->" + words[2].substr(0, words[2].size() - 1)};
    }
    return {};
  }

  // How all stand now: a line for each member, then one for each message under way.
  void look() {
    shown_ = *stage_->perform({"show"});
    looks_ += shown_.size();
  }
  std::string state_of(std::size_t member) const {
    return shown_[member].substr(stage_->chronicle().names[member].size() + 2);
  }
  boost::json::array changed_members() {
    const Lines before = std::move(shown_);
    look();
    boost::json::array changed;
    for (std::size_t i = 0; i < stage_->chronicle().names.size(); ++i) {
      if (shown_[i] != before[i]) changed.push_back({i, state_of(i)});
    }
    return changed;
  }

  void end_scene() {
    if (!stage_) return;
    scene_["steps"] = std::move(steps_);
    boost::json::object played = chronicle_json(std::span{&stage_->chronicle(), 1});
    scene_["happenings"] = std::move(played["scenes"].as_array()[0].as_object()["happenings"]);
    scenes_.push_back(std::move(scene_));
  }

  struct Link {
    std::size_t sent = 0;  // All that was ever put on it.
    std::vector<std::pair<std::size_t, MessageId>> under_way;
  };

  bool forgiving_;
  std::unique_ptr<TraceStage> stage_;
  std::vector<std::string> comments_;  // Of the block, until its first command.
  std::map<std::string, Link> links_;
  Lines shown_;  // By look(), after the last step.
  std::size_t looks_ = 0;
  boost::json::object scene_;
  boost::json::array steps_;
  boost::json::array scenes_;
};

}  // namespace

Result<boost::json::object> steps_json(const Script& script, bool forgiving) {
  return Unfolding{forgiving}.take_apart(script);
}

}  // namespace hapax
