// Simulation by name: the one place where all algorithms meet the simulator.
#pragma once

#include <string_view>

#include "base/result.h"
#include "core/mutex_choices.h"
#include "sim/options.h"
#include "sim/report.h"
#include "sim/simulation.h"

namespace hapax {

// An error if the name is unknown or the options do not fit together.
Result<SimReport> simulate(std::string_view algorithm, const SimOptions& options,
                           const MutexChoices& choices = {}, const SimObserver& observer = {});

}  // namespace hapax
