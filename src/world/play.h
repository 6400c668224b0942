// Plays a trace: the same commands, with the outcome that they have now.
#pragma once

#include "base/result.h"
#include "world/script.h"

namespace hapax {

// A command that cannot be carried out has its error as outcome; a trace that cannot begin is an
// error.
Result<Script> play(const Script& script);

}  // namespace hapax
