// A machine for one run: processes, mounts and network of its own. Whatever is started in there
// ends with it, even if the run itself is killed; nothing is left behind.
#pragma once

#include <functional>

namespace hapax::faults {

// Needs to be root with all capabilities, and `ip` and `iptables`.
bool can_make_sandbox();

// Runs `body` in there and returns its status. SIGINT and SIGTERM set is_interrupted().
int in_sandbox(const std::function<int()>& body);

bool is_interrupted();

}  // namespace hapax::faults
