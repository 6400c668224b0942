// Histories from files: one JSON object per line, as programs append them while they run.
#pragma once

#include <cstddef>
#include <istream>
#include <string_view>

#include "audit/history.h"

namespace hapax::audit {

inline constexpr std::size_t kLongestLine = 16'384;

// Adds what is in there. The last line may have been cut off by a crash: if it has no line end and
// is not JSON, it is skipped. `name` says in an error where it came from. Returns how many were cut
// off.
Result<std::size_t> read_history(std::istream& stream, std::string_view name, History& history);

}  // namespace hapax::audit
