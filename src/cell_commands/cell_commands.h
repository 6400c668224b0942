// The commands about what a group keeps for its clients: files, fences, events.
#pragma once

#include "console/command.h"

namespace hapax::cli {

Command file_command();
Command fence_command();

}  // namespace hapax::cli
