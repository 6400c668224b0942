// The commands about what a group keeps for its clients: files, fences, events.
#pragma once

#include "console/command.h"

namespace hapax::cli {

Command file_command();
Command file_watch_command();  // One of its subcommands.
Command fence_command();
Command events_command();

}  // namespace hapax::cli
