// A member by its seat: its number in the group, as the mesh, its certificate and people know it
// (who count from 1). It stays the same for all lives of the member. Inside a view a member goes by
// its place instead, a NodeId (base/ids.h); membership/life_links.h translates.
#pragma once

#include <cstdint>

namespace hapax {

enum class Seat : std::uint32_t {};

constexpr std::uint32_t number(Seat seat) { return static_cast<std::uint32_t>(seat); }

}  // namespace hapax
