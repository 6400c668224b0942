// A daemon's log: one line each on standard error, with the time. Any thread may write.
#pragma once

#include <string>
#include <string_view>

namespace hapax::cli {

// 2026-11-15T07:41:27.123Z
std::string timestamp();

void log_line(std::string_view text);

}  // namespace hapax::cli
