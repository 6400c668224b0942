// What locks guard is a counter: every holder reads it and writes one more. Whether updates were
// lost, and whether the gate before it let anybody pass who came too late.
#pragma once

#include <vector>

#include "audit/judge.h"

namespace hapax::audit {

// `events`: as of History::in_order(). Reads and writes without a value are not added up.
void judge_accesses(const History& history, const std::vector<Event>& events, Report& report);

}  // namespace hapax::audit
