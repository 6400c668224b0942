// What somebody wants from a lock whose algorithm only its daemon knows.
#pragma once

#include <cstdint>
#include <string_view>

namespace hapax {

enum class Want : std::uint8_t {
  exclusive,  // To be alone.
  shared,     // To be inside with others that want no more than that.
  unit,       // One of so many.
  any         // To be alone; or a unit, where there are several. For a person at the command line.
};

constexpr bool is_valid(Want want) { return want <= Want::any; }

}  // namespace hapax
