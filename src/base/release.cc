#include "base/release.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace hapax {
namespace {

// Takes a number off the front.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// Major and minor.
std::optional<std::pair<std::uint32_t, std::uint32_t>> version_in(std::string_view release) {
  const auto major = take_number(release);
  if (!major || !release.starts_with('.')) return std::nullopt;
  release.remove_prefix(1);
  const auto minor = take_number(release);
  if (!minor) return std::nullopt;
  return std::pair{*major, *minor};
}

}  // namespace

std::string_view release() { return HAPAX_RELEASE; }

bool are_neighbours(std::string_view one, std::string_view other) {
  const auto a = version_in(one);
  const auto b = version_in(other);
  if (!a || !b) return true;
  const auto [lower, higher] = std::minmax(a->second, b->second);
  return a->first == b->first && higher - lower <= 1;
}

}  // namespace hapax
