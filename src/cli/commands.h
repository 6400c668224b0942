// The commands about locks and elections, and those about hapax itself.
#pragma once

#include <functional>
#include <string>

#include "console/command.h"

namespace hapax::cli {

// Told the address that was given, or none, before a daemon is spoken to; may throw Failure, or
// hand over to another program.
using ToReach = std::function<void(const std::string& address)>;
Command run_command(ToReach to_reach = {});
Command lock_command();
Command try_command();
Command who_command();
Command why_command();
Command watch_command();
Command break_command();
Command elect_command();
Command resign_command();

// About all commands. REQUIRES: the program outlives them.
Command completion_command(const Program& program);
Command man_command(const Program& program);

}  // namespace hapax::cli
