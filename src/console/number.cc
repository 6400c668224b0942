#include "console/number.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <utility>

namespace hapax::cli {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_whole(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most, std::string unit) {
  const auto read = [least, most, unit = std::move(unit)](std::string& text) -> std::string {
    const std::string advice = fmt::format("use {} … {}{}", least, most, unit);
    if (!is_whole(text)) return fmt::format("'{}' is not a whole number; {}", text, advice);
    std::uint64_t value = 0;  // A sign is left over below, and so never in range.
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || value < least || value > most) {
      return fmt::format("'{}' is out of range; {}", text, advice);
    }
    text = fmt::format("{}", value);  // CLI11 would read 010 as eight.
    return "";
  };
  return CLI::Validator{read, ""};
}

}  // namespace hapax::cli
