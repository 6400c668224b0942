// `hapax sim`: its three kinds of runs.
#pragma once

#include <cstdint>

#include "lab_commands/lab_commands.h"

namespace hapax::cli {

int simulate_mutex(const SimArguments& arguments);
int simulate_election(const SimArguments& arguments);
int simulate_swarm(const SimArguments& arguments);

}  // namespace hapax::cli
