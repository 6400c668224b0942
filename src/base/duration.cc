#include "base/duration.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/decimal.h"

namespace hapax {
namespace {

constexpr std::array<std::pair<std::string_view, Nanos>, 6> kUnits{{{"ns", 1},
                                                                    {"us", 1'000},
                                                                    {"µs", 1'000},
                                                                    {"ms", kMillisecond},
                                                                    {"s", kSecond},
                                                                    {"min", 60 * kSecond}}};

}  // namespace

Result<Nanos> parse_duration(std::string_view text, std::string_view what) {
  const std::optional<Decimal> number = leading_decimal(text);
  for (const auto& [name, length] : kUnits) {
    if (!number || text.substr(number->length) != name) continue;
    const double nanos = number->value * static_cast<double>(length);
    if (!(nanos >= 0) || nanos > static_cast<double>(kLongestDuration)) {
      return error("{} '{}' is out of range; use 0ns … 60min", what, text);
    }
    return static_cast<Nanos>(std::llround(nanos));
  }
  return error("{} '{}' is not a duration; write a number with a unit, e.g. 250us, 1ms or 2s", what,
               text);
}

std::string format_duration(Nanos duration) {
  const double d = static_cast<double>(duration);
  if (duration < 10'000) return fmt::format("{} ns", duration);
  if (duration < kSecond) return fmt::format("{:.4g} ms", d / kMillisecond);
  return fmt::format("{:.4g} s", d / kSecond);
}

}  // namespace hapax
