// What a contender says of itself at a server, for `hapax who` and for people who look there:
// hapax HOST PID SINCE COMMAND, with the time of day in milliseconds at which it asked.
#pragma once

#include <string>
#include <string_view>

#include "hapax/client.h"

namespace hapax::direct {

std::string introduction();

// Who said that; of another program's words there is only the text, as a command.
Person person_of(std::string_view said);

}  // namespace hapax::direct
