// The algorithms by number, as members write them to one another: their place in mutex/catalog.h.
// A test keeps the numbers as they are; a new algorithm goes to the end of the catalog.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hapax {

enum class AlgorithmId : std::uint8_t {};

inline constexpr std::size_t kAlgorithms = 11;

constexpr std::uint8_t number(AlgorithmId id) { return static_cast<std::uint8_t>(id); }
constexpr bool is_valid(AlgorithmId id) { return number(id) < kAlgorithms; }

// REQUIRES: is_valid(id).
std::string_view name_of(AlgorithmId id);
std::optional<AlgorithmId> algorithm_named(std::string_view name);
// All names, as a sentence lists them.
std::string algorithm_names();

}  // namespace hapax
