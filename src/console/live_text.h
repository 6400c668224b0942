// A few lines that stay where they are on a terminal, and change.
#pragma once

#include <functional>
#include <string>

#include "console/signals.h"

namespace hapax::cli {

// Prints `text()` and looks at it again every second, until there is a signal; it may throw to end
// earlier. Where there is no terminal the text is printed only once.
void show_until_signal(const std::function<std::string()>& text, Signals& signals);

}  // namespace hapax::cli
