// The commands about a group and its members.
#pragma once

#include "console/command.h"

namespace hapax::cli {

Command status_command();
Command members_command();
Command leave_command();
Command evict_command();
Command settings_command();
Command backup_command();
Command stats_command();
Command live_command();

}  // namespace hapax::cli
