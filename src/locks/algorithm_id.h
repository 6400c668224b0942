// The algorithms by number, as members write them to one another. The numbers are the algorithms'
// own: MutexInfo::id.
#pragma once

#include <optional>
#include <string_view>

#include "core/mutex_info.h"

namespace hapax {

// Whether there is an algorithm of that number.
bool is_valid(AlgorithmId id);
// Whether it lets in several at once. REQUIRES: is_valid(id).
bool is_shared(AlgorithmId id);
// REQUIRES: is_valid(id).
std::string_view name_of(AlgorithmId id);
std::optional<AlgorithmId> algorithm_named(std::string_view name);

}  // namespace hapax
