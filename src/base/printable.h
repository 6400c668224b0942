// Text that strangers have written, made fit for a terminal and a log: what would move the cursor,
// colour the screen, end the line or turn the writing round is shown as \x1b or \u202e; so are
// bytes that are no UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace hapax {

std::string printable(std::string_view text);
// The same for a text of several lines.
std::string printable_lines(std::string_view text);

// As a string of JSON, quotes and all: valid for any bytes, and as harmless on a terminal. What was
// UTF-8 is read back exactly; every other byte is U+FFFD.
std::string json_string(std::string_view text);

}  // namespace hapax
