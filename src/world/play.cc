#include "world/play.h"

#include <memory>

#include "world/stage.h"

namespace hapax {

Result<Script> play(const Script& script) {
  Script played = script;
  std::unique_ptr<TraceStage> stage;
  for (ScriptBlock& block : played.blocks) {
    block.outcome.clear();
    for (const std::string& line : block.commands) {
      const Command command = words_of(line);
      if (command[0] == "nodes") {
        Result<std::unique_ptr<TraceStage>> made = make_stage(command);
        if (!made) return error("line {}: {}", block.line, made.error().message);
        stage = std::move(*made);
        continue;
      }
      if (!stage) return error("line {}: a trace begins with: nodes ALGORITHM NAME …", block.line);
      const Result<Lines> lines = stage->perform(command);
      if (lines) {
        block.outcome.insert(block.outcome.end(), lines->begin(), lines->end());
      } else {
        block.outcome.push_back("error: " + lines.error().message);
      }
    }
  }
  return played;
}

}  // namespace hapax
