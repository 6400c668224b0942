// What may name a file of a group.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace hapax {

inline constexpr std::size_t kLargestFile = std::size_t{256} << 10;  // Bytes.

// As a lock's name (a file and the lock of its name belong together); and between its slashes there
// is always something, but neither `.` nor `..`. An error says what is wrong.
Result<void> check_file_path(std::string_view path);

// The same for what `ls` and events may ask about; empty: everything.
Result<void> check_folder(std::string_view path);

// Whether the path lies in that folder, at any depth, or is it. Everything is in the empty one.
bool is_in_folder(std::string_view path, std::string_view folder);

}  // namespace hapax
