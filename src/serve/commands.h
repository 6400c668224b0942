// The commands that start members of groups, and what these need.
#pragma once

#include "console/command.h"

namespace hapax::cli {

Command certs_command();
Command demo_command();
Command up_command();
Command node_command();

}  // namespace hapax::cli
