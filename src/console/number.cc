#include "console/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/duration.h"

namespace hapax::cli {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_whole(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_between(const std::string& text, double least, double most) {
  double value = 0;
  const auto [end, failed] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const bool is_number = failed == std::errc{} && end == text.data() + text.size();
  return is_number && std::isfinite(value) && value >= least && value <= most;
}

}  // namespace

Check whole_number(std::uint64_t least, std::uint64_t most, std::string unit) {
  return [least, most, unit = std::move(unit)](std::string& text) -> std::string {
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
}

Check fraction(double least, double most) {
  return [least, most](std::string& text) -> std::string {
    if (is_between(text, least, most)) return "";
    return fmt::format("'{}' is no number in range; use {:g} … {:g}, e.g. 0.5", text, least, most);
  };
}

Check seconds(double least, double most) {
  return [least, most](std::string& text) -> std::string {
    std::string number = text;
    if (const auto time = parse_duration(text, "")) {
      number = fmt::format("{:.9f}", static_cast<double>(*time) / kSecond);
    }
    if (!is_between(number, least, most)) {
      return fmt::format("'{}' is no time; use {} … {} seconds, e.g. 0.5 or 500ms", text, least,
                         most);
    }
    text = number;
    return "";
  };
}

}  // namespace hapax::cli
