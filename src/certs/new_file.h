// Files as keys need them: with the mode asked for from their first byte on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

#include "base/result.h"

namespace hapax::net {

struct NewFile {
  std::filesystem::path path;
  std::string text;
  mode_t mode;
};

// Fails if it is there.
std::optional<Error> write(const NewFile& file);

// In its place at once, whatever was there.
std::optional<Error> replace(const NewFile& file);

}  // namespace hapax::net
