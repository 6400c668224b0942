// The election algorithms by number, as members write them to one another: their place in
// election/catalog.h. A new one goes to the end of the catalog.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hapax {

enum class ElectionId : std::uint8_t {};

inline constexpr std::size_t kElections = 3;

constexpr std::uint8_t number(ElectionId id) { return static_cast<std::uint8_t>(id); }
constexpr bool is_valid(ElectionId id) { return number(id) < kElections; }

// REQUIRES: is_valid(id).
std::string_view name_of(ElectionId id);
std::optional<ElectionId> election_named(std::string_view name);
// All names, as a sentence lists them.
std::string election_names();

}  // namespace hapax
