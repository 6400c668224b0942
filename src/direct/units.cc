#include "direct/units.h"

#include <charconv>

#include "base/glob.h"

namespace hapax::direct {

Result<Units> Units::parse(std::string_view text) {
  constexpr std::uint32_t kMost = 1'000'000;
  Units units;
  while (!text.empty()) {
    const std::string_view rule = text.substr(0, text.find(','));
    text.remove_prefix(rule.size() == text.size() ? rule.size() : rule.size() + 1);
    const std::size_t equals = rule.rfind('=');
    std::uint32_t number = 0;
    const bool is_rule = equals != std::string_view::npos && equals > 0;
    const std::string_view digits = is_rule ? rule.substr(equals + 1) : "";
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (!is_rule || failed != std::errc{} || end != digits.data() + digits.size() || number == 0 ||
        number > kMost) {
      return error("'{}' does not say how many: write NAME=NUMBER, as in 'pool/*=4'", rule);
    }
    units.rules_.emplace_back(rule.substr(0, equals), number);
  }
  return units;
}

std::uint32_t Units::of(std::string_view name) const {
  for (const auto& [pattern, number] : rules_) {
    if (glob_matches(pattern, name)) return number;
  }
  return 0;
}

}  // namespace hapax::direct
