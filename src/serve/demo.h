// The demos, each a subcommand of `hapax demo`.
#pragma once

#include "console/command.h"

namespace hapax::cli {

void add_demo_bank(CLI::App& demo, Outcome& outcome);

}  // namespace hapax::cli
