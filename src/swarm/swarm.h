// Members, clients, an engine and a network in virtual time under a swarm of faults: crashes,
// pauses, cut and broken connections, a deaf engine, lost answers, drifting clocks. The members are
// the same Service that a daemon runs, and talk over the same links. First faults strike and
// nothing may go wrong; then all is healed, and everybody who waits must be served.
#pragma once

#include <cstddef>

#include "swarm/plan.h"
#include "swarm/report.h"
#include "swarm/swarm_link.h"

namespace hapax {

// `log`: how many of the last lines about what happened to keep.
// REQUIRES: plan.algorithm is one of the lock table's.
SwarmReport run_swarm(const SwarmPlan& plan, std::size_t log = 0);
// With links that a test has broken.
SwarmReport run_swarm(const SwarmPlan& plan, std::size_t log, MakeLink make_link);

}  // namespace hapax
