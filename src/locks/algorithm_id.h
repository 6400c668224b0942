// The algorithms by number, as members write them to one another: their place in mutex/catalog.h,
// first those that let in one at a time, then those that let in several. A test keeps the numbers
// as they are; a new algorithm goes to the end and gets the next number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/mutex_info.h"

namespace hapax {

inline constexpr std::size_t kMutexAlgorithms = 11;
inline constexpr std::size_t kAlgorithms = kMutexAlgorithms + 2;

constexpr bool is_valid(AlgorithmId id) { return number(id) < kAlgorithms; }

// Whether it lets in several at once.
constexpr bool is_shared(AlgorithmId id) { return is_valid(id) && number(id) >= kMutexAlgorithms; }

// REQUIRES: is_valid(id).
std::string_view name_of(AlgorithmId id);
std::optional<AlgorithmId> algorithm_named(std::string_view name);

}  // namespace hapax
