#include "base/printable.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>

namespace hapax {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: these are no UTF-8.
};

// The first character of a text that is not empty; the shortest encoding only.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = byte(0) & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || code > 0x10ffff || is_surrogate) return {};
  return {code, bytes};
}

bool is_between(std::uint32_t code, std::uint32_t low, std::uint32_t high) {
  return low <= code && code <= high;
}

bool is_harmless(std::uint32_t code) {
  const bool is_control = code < 0x20 || is_between(code, 0x7f, 0x9f);
  const bool ends_line = code == 0x2028 || code == 0x2029;
  const bool turns_round = code == 0x61c || is_between(code, 0x200e, 0x200f) ||
                           is_between(code, 0x202a, 0x202e) || is_between(code, 0x2066, 0x2069);
  return !is_control && !ends_line && !turns_round;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character c = first_of(text);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes != 0 && is_harmless(c.code)) {
      shown += text.substr(0, bytes);
    } else if (bytes == 1) {
      shown += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]));
    } else {
      shown += fmt::format("\\u{:04x}", c.code);
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    shown += printable(text.substr(0, end)) + '\n';
    text.remove_prefix(end + 1);
  }
  return shown + printable(text);
}

std::string json_string(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const Character c = first_of(text);
    if (c.bytes == 0) {
      json += "\\ufffd";
    } else if (c.code == '"' || c.code == '\\') {
      json += '\\';
      json += text[0];
    } else if (is_harmless(c.code)) {
      json += text.substr(0, c.bytes);
    } else {  // All of these are in the first plane.
      json += fmt::format("\\u{:04x}", c.code);
    }
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return json + '"';
}

}  // namespace hapax
