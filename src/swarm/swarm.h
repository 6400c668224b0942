// Members, clients, an engine and a network in virtual time under a swarm of faults: crashes,
// pauses, cut links, a deaf engine, lost answers, drifting clocks. The members are the same Service
// that a daemon runs. First faults strike and nothing may go wrong; then all is healed, and
// everybody who waits must be served.
#pragma once

#include "swarm/plan.h"
#include "swarm/report.h"

namespace hapax {

// `log`: how many of the last lines about what happened to keep.
// REQUIRES: plan.algorithm is one of the lock table's.
SwarmReport run_swarm(const SwarmPlan& plan, std::size_t log = 0);

}  // namespace hapax
