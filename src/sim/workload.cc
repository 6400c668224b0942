#include "sim/workload.h"

#include <fmt/format.h>
#include <optional>

#include "base/decimal.h"

namespace hapax {

Result<Load> Load::parse(std::string_view text) {
  if (text == "low") return Load{Kind::low};
  if (text == "high") return Load{Kind::high};
  constexpr std::string_view kPoisson = "poisson:";
  if (text.starts_with(kPoisson)) {
    const std::optional<double> rate = decimal(text.substr(kPoisson.size()));
    if (rate && *rate >= 1e-3 && *rate <= 1e9) return Load{Kind::poisson, *rate};
    return error("load '{}': the rate is a number of requests a second, from 0.001 to 1e9", text);
  }
  return error("load '{}' is not known; use low, high or poisson:RATE (requests a second)", text);
}

std::string Load::text() const {
  switch (kind) {
    case Kind::low:
      return "low";
    case Kind::high:
      return "high";
    case Kind::poisson:
      return fmt::format("poisson:{}", rate);
    case Kind::pairs:
      return "pairs";
  }
  return "?";
}

}  // namespace hapax
