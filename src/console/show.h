// Prints to standard output what others may have had a hand in: names of locks, hosts, commands.
// See base/printable.h for what becomes of what would move the cursor.
#pragma once

#include <fmt/format.h>
#include <utility>

#include "base/printable.h"

namespace hapax::cli {

template <class... T>
void show(fmt::format_string<T...> format, T&&... values) {
  fmt::print("{}", printable_lines(fmt::format(format, std::forward<T>(values)...)));
}

}  // namespace hapax::cli
