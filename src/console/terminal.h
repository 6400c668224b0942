// What there is to know about the terminal, if there is one.
#pragma once

#include <cstddef>
#include <optional>

namespace hapax::cli {

// How many columns the terminal behind this file descriptor has; nothing if there is none.
std::optional<std::size_t> columns_of(int descriptor);

}  // namespace hapax::cli
