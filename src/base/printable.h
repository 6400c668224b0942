// Text that strangers have written, made fit for a terminal and a log: what would move the cursor,
// colour the screen, end the line or turn the writing round is shown as \x1b or \u202e; so are
// bytes that are no UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace hapax {

std::string printable(std::string_view text);

}  // namespace hapax
