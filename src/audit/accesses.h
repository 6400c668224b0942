// What locks guard is a counter: every holder reads it and writes one more. Finds updates that were
// lost, and accesses that the gate let pass although they came too late.
#pragma once

#include <vector>

#include "audit/judge.h"

namespace hapax::audit {

// `events`: from History::in_order(). Reads and writes without a value do not count.
void judge_accesses(const History& history, const std::vector<Event>& events, Report& report);

}  // namespace hapax::audit
