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

// Its first and its last characters, where it is longer.
std::string cut(const std::string& text, std::size_t most) {
  if (length(text) <= most) return text;
  const std::size_t tail = (most - 1) / 3;
  const std::size_t head = most - 1 - tail;
  const auto byte_of = [&](std::size_t character) {
    std::size_t at = 0;
    for (std::size_t seen = 0; at < text.size(); ++at) {
      if ((text[at] & 0xc0) != 0x80 && seen++ == character) break;
    }
    return at;
  };
  return text.substr(0, byte_of(head)) + "…" + text.substr(byte_of(length(text) - tail));
}

std::size_t total(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
}

}  // namespace

void Table::column(std::string title, Align align, Length length) {
  titles_.push_back(std::move(title));
  aligns_.push_back(align);
  lengths_.push_back(length);
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

std::size_t Table::width() const { return total(widths()); }
std::string Table::text() const { return text(widths()); }

std::string Table::text_within(std::size_t columns) const {
  std::vector<std::size_t> widths = this->widths();
  for (const std::size_t narrowest : {std::size_t{10}, std::size_t{6}}) {
    for (std::size_t c = widths.size(); c-- > 0;) {
      const std::size_t all = total(widths);
      if (all <= columns || lengths_[c] == Length::short_ || widths[c] <= narrowest) continue;
      widths[c] = std::max(narrowest, widths[c] - std::min(widths[c], all - columns));
    }
  }
  return text(widths);
}

std::string Table::text(const std::vector<std::size_t>& widths) const {
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string cell = cut(cells[c], widths[c]);
      const std::string pad(widths[c] - length(cell), ' ');
      if (c > 0) out += "  ";
      out += aligns_[c] == Align::right ? pad + cell : cell + pad;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + '\n';
  };
  line(titles_);
  for (std::size_t i = 0; i < total(widths); ++i) text += "─";
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
