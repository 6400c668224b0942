// What a daemon says of itself to programs that ask.
#pragma once

#include "figures/facts.h"
#include "session/protocol.h"

namespace hapax {

// Without what the members themselves say.
session::State state_of(const Facts& facts);
session::Stats stats_of(const Facts& facts);
session::MemberReport member_report_of(const Facts& facts);

}  // namespace hapax
