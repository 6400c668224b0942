#include "core/lock_name.h"

#include <array>
#include <optional>

namespace hapax {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

// The character at the front of `text`, or nothing if it is not UTF-8: a byte missing, a longer
// form than needed, half of a surrogate pair, or beyond U+10FFFF.
std::optional<Character> decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return Character{lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return std::nullopt;
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return std::nullopt;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || surrogate || code > 0x10ffff) return std::nullopt;
  return Character{code, bytes};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

}  // namespace

Result<void> check_lock_name(std::string_view name) {
  if (name.empty()) return error("A lock needs a name.");
  if (name.size() > kLongestLockName) {
    return error("A lock's name has at most {} bytes; this one has {}.", kLongestLockName,
                 name.size());
  }
  for (std::size_t at = 0; at < name.size();) {
    const auto character = decode_utf8(name.substr(at));
    if (!character) return error("A lock's name is UTF-8; this one is not, at byte {}.", at);
    if (is_control(character->code)) {
      return error("A lock's name has no control characters; this one has U+{:04X} at byte {}.",
                   character->code, at);
    }
    at += character->bytes;
  }
  return {};
}

std::uint64_t hash_of_lock(std::string_view name) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : name) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  sum = (sum ^ (sum >> 30)) * 0xbf58476d1ce4e5b9;
  sum = (sum ^ (sum >> 27)) * 0x94d049bb133111eb;
  return sum ^ (sum >> 31);
}

}  // namespace hapax
