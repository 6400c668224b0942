#include "base/decimal.h"

#include <charconv>

namespace hapax {

std::optional<Decimal> leading_decimal(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{}) return std::nullopt;
  return Decimal{value, static_cast<std::size_t>(end - text.data())};
}

}  // namespace hapax
