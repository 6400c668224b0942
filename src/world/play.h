// Plays a trace: the same commands, with the outcome that they have now.
#pragma once

#include <vector>

#include "base/result.h"
#include "world/chronicle.h"
#include "world/script.h"

namespace hapax {

struct Performance {
  Script script;                  // As played: with the outcomes that came.
  std::vector<Chronicle> scenes;  // One for each `nodes`.
};

// A command that cannot be carried out has its error as outcome; a trace that cannot begin is an
// error.
Result<Performance> perform(const Script& script);
// Only the script of it.
Result<Script> play(const Script& script);

}  // namespace hapax
