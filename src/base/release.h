// What this build is called, and which others it is meant to work with.
#pragma once

#include <string_view>

namespace hapax {

// 0.1.0; or 0.1.0+g0220214, if whoever built it said so.
std::string_view release();

// Whether there is no minor version between the two. True if one of them cannot be read.
bool are_neighbours(std::string_view one, std::string_view other);

}  // namespace hapax
