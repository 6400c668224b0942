// What somebody may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hapax {

// The candidate that begins with the word, or else differs from it by the fewest slips of a hand;
// empty if none is near.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace hapax
