// A decimal number at the beginning of a text, whatever the locale.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace hapax {

struct Decimal {
  double value = 0;
  std::size_t length = 0;  // Of what was read.
};

// As std::from_chars reads it: no space and no + before it.
std::optional<Decimal> leading_decimal(std::string_view text);

// All of the text, or nothing.
inline std::optional<double> decimal(std::string_view text) {
  const std::optional<Decimal> read = leading_decimal(text);
  return read && read->length == text.size() ? std::optional{read->value} : std::nullopt;
}

}  // namespace hapax
