// Patterns of names: * stands for anything, ? for one character.
#pragma once

#include <string_view>

namespace hapax {

bool glob_matches(std::string_view pattern, std::string_view name);
// Whether it may stand for more than one name.
inline bool is_pattern(std::string_view name) {
  return name.find_first_of("*?") != std::string_view::npos;
}

}  // namespace hapax
