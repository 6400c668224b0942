// Members, clients, an engine and a network in virtual time, on which faults swarm: crashes,
// pauses, cut links, a deaf engine, lost answers, drifting clocks. The members are the node's own
// Service, as the daemon runs it. First faults strike and nothing may go wrong; then all is healed,
// and whoever waits must be served.
#pragma once

#include "swarm/plan.h"
#include "swarm/report.h"

namespace hapax {

// `log`: keep the last so many lines of what happened.
// REQUIRES: plan.algorithm is one of the lock table's.
SwarmReport run_swarm(const SwarmPlan& plan, std::size_t log = 0);

}  // namespace hapax
