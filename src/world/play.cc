#include "world/play.h"

#include <memory>
#include <utility>

#include "world/stage.h"

namespace hapax {
namespace {

// The comments of a block as running text, without their marks.
std::string remark_of(const ScriptBlock& block) {
  std::string text;
  for (const std::string& line : block.comments) {
    const std::size_t from = line.find_first_not_of("# ");
    if (from == std::string::npos) continue;
    text += (text.empty() ? "" : " ") + line.substr(from);
  }
  return text;
}

class Player {
 public:
  Result<Performance> play(const Script& script) {
    played_.script = script;
    for (ScriptBlock& block : played_.script.blocks) {
      block.outcome.clear();
      remark_ = remark_of(block);
      for (const std::string& line : block.commands) {
        if (const auto done = command(words_of(line), block); !done) {
          return error("line {}: {}", block.line, done.error().message);
        }
      }
      tell_remark();
    }
    end_scene();
    return std::move(played_);
  }

 private:
  Result<bool> command(const Command& command, ScriptBlock& block) {
    if (command[0] == "nodes") {
      Result<std::unique_ptr<TraceStage>> made = make_stage(command);
      if (!made) return made.error();
      end_scene();
      stage_ = std::move(*made);
      return true;
    }
    if (!stage_) return error("a trace begins with: nodes ALGORITHM NAME …");
    tell_remark();
    const Result<Lines> lines = stage_->perform(command);
    if (stage_->is_broken()) return lines.error();
    if (lines) {
      block.outcome.insert(block.outcome.end(), lines->begin(), lines->end());
    } else {
      block.outcome.push_back("error: " + lines.error().message);
    }
    return true;
  }

  void tell_remark() {
    if (!remark_.empty() && stage_) stage_->remark(std::exchange(remark_, {}));
  }
  void end_scene() {
    if (stage_) played_.scenes.push_back(stage_->chronicle());
  }

  Performance played_;
  std::unique_ptr<TraceStage> stage_;
  std::string remark_;  // Of the block that is played, until it is told.
};

}  // namespace

Result<Performance> perform(const Script& script) { return Player{}.play(script); }

Result<Script> play(const Script& script) {
  Result<Performance> played = perform(script);
  if (!played) return played.error();
  return std::move(played->script);
}

}  // namespace hapax
