// Who asks, and when.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/theory.h"

namespace hapax {

struct Load {
  enum class Kind : std::uint8_t {
    low,      // One request at a time; the next one when all is quiet again.
    high,     // Every requester asks again as soon as it has left.
    poisson,  // Requests at random times, `rate` per second in all.
    pairs,    // Two at a time: the second asks while the first is inside. Measures synchronization
              // delay.
  };

  Kind kind = Kind::low;
  double rate = 0;

  static Result<Load> parse(std::string_view text);  // low | high | poisson:RATE
  std::string text() const;
};

}  // namespace hapax
