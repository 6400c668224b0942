#include "console/live_text.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <optional>

#include "console/terminal.h"

namespace hapax::cli {
namespace {

// How many lines of a terminal the text takes.
std::size_t rows_of(const std::string& text, std::size_t columns) {
  std::size_t rows = 0;
  for (std::size_t from = 0, end = 0; (end = text.find('\n', from)) != std::string::npos;
       from = end + 1) {
    rows += std::max<std::size_t>(1, (end - from + columns - 1) / columns);
  }
  return rows;
}

}  // namespace

void show_until_signal(const std::function<std::string()>& text, Signals& signals) {
  const std::optional<std::size_t> columns = columns_of(1);
  std::string last = text();
  fmt::print("{}", last);
  std::fflush(stdout);
  for (;;) {
    wait_for(signals, nullptr, 1000);
    if (signals.take()) return;
    const std::string now = text();
    if (!columns || now == last) continue;
    fmt::print("\033[{}A\033[J{}", rows_of(last, *columns), now);
    std::fflush(stdout);
    last = now;
  }
}

}  // namespace hapax::cli
