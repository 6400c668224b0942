#include "console/table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace hapax::cli {
namespace {

// Characters, not bytes: titles have an ellipsis or two.
std::size_t length(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

void Table::column(std::string title, Align align) {
  titles_.push_back(std::move(title));
  aligns_.push_back(align);
}

void Table::row(std::vector<std::string> cells) {
  HAPAX_CHECK(cells.size() == titles_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < titles_.size(); ++c) {
    widths.push_back(length(titles_[c]));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], length(row[c]));
  }
  return widths;
}

std::size_t Table::width() const {
  const std::vector<std::size_t> widths = this->widths();
  return std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
}

std::string Table::text() const {
  const std::vector<std::size_t> widths = this->widths();
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string pad(widths[c] - length(cells[c]), ' ');
      if (c > 0) out += "  ";
      out += aligns_[c] == Align::right ? pad + cells[c] : cells[c] + pad;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + '\n';
  };
  line(titles_);
  for (std::size_t i = 0; i < width(); ++i) text += "─";
  text += '\n';
  for (const auto& row : rows_) line(row);
  return text;
}

std::string show_number(double value) {
  if (std::abs(value - std::round(value)) < 5e-7) return fmt::format("{:.0f}", value);
  if (std::abs(value) >= 1000) return fmt::format("{:.0f}", value);
  if (std::abs(value) >= 100) return fmt::format("{:.1f}", value);
  if (std::abs(value) >= 10) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

}  // namespace hapax::cli
