#include "hapax/fence.h"

#include <charconv>
#include <ostream>
#include <system_error>

namespace hapax {
namespace {

// Digits up to the end, without what std::from_chars would take besides: a number has one spelling.
std::optional<std::uint64_t> number_in(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  return value;
}

}  // namespace

std::string to_string(Fence fence) {
  return std::to_string(number(fence.epoch)) + '.' + std::to_string(number(fence.turn));
}

std::ostream& operator<<(std::ostream& out, Fence fence) { return out << to_string(fence); }

std::optional<Fence> parse_fence(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const auto epoch = number_in(text.substr(0, point));
  const auto turn = number_in(text.substr(point + 1));
  if (!epoch || !turn) return std::nullopt;
  return Fence{Epoch{*epoch}, Turn{*turn}};
}

}  // namespace hapax
