// What the members of a view have recorded of one lock, as a trace: each member's steps in their
// order, and every message sent before it arrives. Members are played by the same objects that ran,
// so the trace is made only if it comes out as it was recorded: every message byte for byte, every
// entry with its turn.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "session/recording.h"
#include "world/script.h"

namespace hapax {

struct RecordedTrace {
  Script script;           // With its outcome.
  std::size_t steps = 0;   // In it.
  std::size_t beyond = 0;  // Of those recorded: they need what was not, for it came after the end.
  bool is_cut = false;     // A member had no room for more, or its view ended.
};

// An error if it does not fit together, because the view changed meanwhile, or for worse reasons.
Result<RecordedTrace> trace_of(const session::Recording& recording);
// The same of what Client::record() gives.
Result<RecordedTrace> trace_of_bytes(std::string_view bytes);

}  // namespace hapax
