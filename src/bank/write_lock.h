// Whether somebody is in the middle of writing to a SQLite file.
#pragma once

#include <chrono>
#include <filesystem>

namespace hapax::bank {

// True as soon as it could be written to; false if that took longer than `patience`. Writes
// nothing. Throws std::runtime_error.
bool becomes_writable(const std::filesystem::path& database, std::chrono::milliseconds patience);

}  // namespace hapax::bank
