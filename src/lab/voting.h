// --voting-sets: a rule by name, or a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/mutex_info.h"
#include "voting/voting_sets.h"

namespace hapax::cli {

// Throws UsageError if there is no such rule or file, or the sets do not fit n processes.
VotingSets voting_sets_from(const std::string& name, std::uint32_t n);

inline constexpr std::string_view kUsualVotingSets = "smallest";

// The same as the algorithm understands it. Nothing, if it has none to choose, or has its own and
// the name is the usual one.
std::optional<VotingSets> voting_sets_for(const MutexInfo& algorithm, const std::string& name,
                                          std::uint32_t n);

}  // namespace hapax::cli
