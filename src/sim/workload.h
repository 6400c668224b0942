// Who asks, and when.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

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

// Who may ask next.
enum class Draw : std::uint8_t {
  uniform,   // anybody
  not_home,  // anybody but the view's holder: central's coordinator serves, others ask
  not_last,  // anybody but the one drawn last, who still has the token
};

constexpr std::string_view name_of(Draw draw) {
  switch (draw) {
    case Draw::uniform:
      return "uniform";
    case Draw::not_home:
      return "uniform, but not the coordinator";
    case Draw::not_last:
      return "uniform, but not the one inside last";
  }
  return "?";
}

}  // namespace hapax
