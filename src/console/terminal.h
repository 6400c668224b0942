// What there is to know about the terminal, if there is one, or about whoever reads what we print.
#pragma once

#include <cstddef>
#include <optional>

namespace hapax::cli {

// How many columns the terminal behind this file descriptor has; nothing if there is none.
std::optional<std::size_t> columns_of(int descriptor);

// How wide what is printed there may be: as the terminal is, or 80.
std::size_t page_width();

// False if what is printed goes to a pipe whose reader has gone. Whoever waits for something to
// print asks now and then, since it is told of that only by printing.
bool is_output_read() noexcept;

}  // namespace hapax::cli
