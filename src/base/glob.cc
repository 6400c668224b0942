#include "base/glob.h"

#include <cstddef>
#include <optional>

namespace hapax {
namespace {

// The bytes of the character that `text` begins with. REQUIRES: !text.empty().
std::size_t first_character(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) ++bytes;
  return bytes;
}

}  // namespace

// Goes back to the last * only: what an earlier one could take more of, the last one can take, too.
bool glob_matches(std::string_view pattern, std::string_view name) {
  std::optional<std::string_view> after_star;
  std::string_view from_star;  // What the last * has not taken yet.
  while (true) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      after_star = pattern;
      from_star = name;
      continue;
    }
    if (name.empty() && pattern.empty()) return true;
    if (!name.empty() && !pattern.empty() && pattern.front() == '?') {
      pattern.remove_prefix(1);
      name.remove_prefix(first_character(name));
      continue;
    }
    if (!name.empty() && !pattern.empty() && pattern.front() == name.front()) {
      pattern.remove_prefix(1);
      name.remove_prefix(1);
      continue;
    }
    if (!after_star || from_star.empty()) return false;
    from_star.remove_prefix(first_character(from_star));
    pattern = *after_star;
    name = from_star;
  }
}

}  // namespace hapax
