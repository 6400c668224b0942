// The algorithms by number, as members write them to one another: their place in mutex/catalog.h,
// first those that let in one at a time, then those that let in several. A test keeps the numbers
// as they are; a new algorithm goes to the end and gets the next number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hapax {

enum class AlgorithmId : std::uint8_t {};

inline constexpr std::size_t kMutexAlgorithms = 11;
inline constexpr std::size_t kAlgorithms = kMutexAlgorithms + 2;

constexpr std::uint8_t number(AlgorithmId id) { return static_cast<std::uint8_t>(id); }
constexpr bool is_valid(AlgorithmId id) { return number(id) < kAlgorithms; }

// Whether it lets in several at once.
constexpr bool is_shared(AlgorithmId id) { return is_valid(id) && number(id) >= kMutexAlgorithms; }

// REQUIRES: is_valid(id).
std::string_view name_of(AlgorithmId id);
std::optional<AlgorithmId> algorithm_named(std::string_view name);
// All names, as a sentence lists them.
std::string algorithm_names();

}  // namespace hapax
