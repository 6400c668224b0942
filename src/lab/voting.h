// --voting-sets: a rule by name, or a file.
#pragma once

#include <cstdint>
#include <string>

#include "voting/voting_sets.h"

namespace hapax::cli {

// Throws UsageError if there is no such rule or file, or the sets do not fit n processes.
VotingSets voting_sets_from(const std::string& name, std::uint32_t n);

}  // namespace hapax::cli
