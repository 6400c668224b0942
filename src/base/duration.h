// Virtual time: nanoseconds since the run began, and how people write them (250us, 1ms, 2.5s).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hapax {

using Nanos = std::int64_t;
inline constexpr Nanos kNever = std::numeric_limits<Nanos>::max();
inline constexpr Nanos kMillisecond = 1'000'000;
inline constexpr Nanos kSecond = 1'000'000'000;
inline constexpr Nanos kLongestDuration =
    3600 * kSecond;  // Nothing worth waiting for takes longer.

// A number with a unit (ns, us, ms, s), at most an hour. `what` names the value in the error.
Result<Nanos> parse_duration(std::string_view text, std::string_view what);

std::string format_duration(Nanos duration);

}  // namespace hapax
