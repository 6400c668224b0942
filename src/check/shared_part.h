// What in a state of the model of mutual exclusion belongs to no member and to no link.
#pragma once

#include <cstdint>
#include <tuple>

namespace hapax {

struct SharedPart {
  std::uint64_t last_turn;  // The highest of all entries …
  std::uint64_t last_lone;  // … and of those that exclude all others.
  std::uint8_t duplicates, losses, crashes;
  std::uint8_t crashed;  // A bit for each process.

  bool has_crashed(std::uint32_t i) const { return (crashed >> i & 1) != 0; }
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
  Key key() const {
    return {last_turn, last_lone,
            std::uint32_t{duplicates} << 24 | std::uint32_t{losses} << 16 |
                std::uint32_t{crashes} << 8 | crashed};
  }
};

}  // namespace hapax
