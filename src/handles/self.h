// Who this process is, for others to see.
#pragma once

#include <string>

namespace hapax::client {

std::string own_host();
// As ps would show it, cut at the length that a session allows.
std::string own_command();

}  // namespace hapax::client
