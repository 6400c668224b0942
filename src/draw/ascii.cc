#include "draw/ascii.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "draw/layout.h"

namespace hapax {
namespace {

using Arrow = Layout::Arrow;
using Bar = Layout::Bar;

constexpr std::size_t kNarrowestPitch = 8;
constexpr std::size_t kWidestPitch = 30;

// A row of characters, each of which may take several bytes.
class Cells {
 public:
  explicit Cells(std::size_t width) : cells_(width, " ") {}
  void put(std::size_t at, std::string_view cell) {
    if (at < cells_.size()) cells_[at] = cell;
  }
  void write(std::size_t at, std::string_view ascii) {
    for (const char c : ascii) put(at++, std::string_view{&c, 1});
  }
  std::string text() const {
    std::string text;
    for (const std::string& cell : cells_) text += cell;
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

 private:
  std::vector<std::string> cells_;
};

class TextDrawing {
 public:
  explicit TextDrawing(const Chronicle& chronicle)
      : layout_(lay_out(chronicle, Packing::one_step_a_row)) {
    std::size_t widest = 0;
    for (const Arrow& arrow : layout_.arrows) widest = std::max(widest, arrow.text.size());
    for (const std::string& name : layout_.names) widest = std::max(widest, name.size());
    pitch_ = std::clamp(widest + 5, kNarrowestPitch, kWidestPitch);
    first_ = 6 + layout_.names.front().size() / 2;
    width_ = first_ + pitch_ * (layout_.names.size() - 1) + 2 + layout_.names.back().size() / 2;
  }

  std::string text() const {
    std::string out = layout_.algorithm + '\n';
    Cells head{width_ + layout_.names.back().size()};
    for (std::uint32_t i = 0; i < layout_.names.size(); ++i) {
      head.write(column(NodeId{i}) - layout_.names[i].size() / 2, layout_.names[i]);
    }
    out += head.text() + '\n';
    for (std::uint32_t row = 0; row < layout_.rows; ++row) {
      for (const Layout::Line& caption : layout_.captions) {
        if (caption.row == row) out += "\n# " + caption.text + '\n';
      }
      out += line(row);
    }
    for (const Arrow& arrow : layout_.arrows) {
      if (arrow.fate == Arrow::Fate::under_way) out += still_under_way(arrow);
    }
    return out;
  }

 private:
  std::size_t column(NodeId node) const { return first_ + pitch_ * number(node); }

  std::string line(std::uint32_t row) const {
    Cells cells{width_};
    bool empty = true;
    std::string said;
    for (std::uint32_t i = 0; i < layout_.names.size(); ++i) {
      cells.put(column(NodeId{i}), lifeline(NodeId{i}, row));
    }
    for (const Arrow& arrow : layout_.arrows) {
      if (arrow.came != row || arrow.fate == Arrow::Fate::under_way) continue;
      draw(cells, arrow, row);
      empty = false;
      if (arrow.fate != Arrow::Fate::arrives) said = "lost";
    }
    for (const Layout::Mark& mark : layout_.marks) {
      if (mark.row != row) continue;
      said = remark(mark, row);
      empty = false;
    }
    for (const Layout::Line& divider : layout_.dividers) {
      if (divider.row == row) said = "~ " + divider.text;
    }
    if (empty && said.empty()) return "";
    cells.write(0, fmt::format("{:>4}", layout_.steps[row]));
    const std::string drawn = cells.text();
    return said.empty() ? drawn + '\n' : padded(cells) + "  " + said + '\n';
  }

  // Up to the width of the picture, whatever the bytes.
  std::string padded(const Cells& cells) const {
    std::string text = cells.text();
    const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    const auto shown = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_first));
    return text + std::string(width_ - std::min(width_, shown), ' ');
  }

  std::string_view lifeline(NodeId node, std::uint32_t row) const {
    for (const Layout::Mark& mark : layout_.marks) {
      if (mark.kind != Layout::Mark::Kind::crash || mark.node != node) continue;
      if (row == mark.row) return "×";
      if (row > mark.row) return " ";
    }
    std::string_view glyph = "│";
    for (const Bar& bar : layout_.bars) {
      if (bar.node != node || bar.kind == Bar::Kind::clash || row < bar.first ||
          (row >= bar.last && !bar.open))
        continue;
      glyph = bar.kind == Bar::Kind::waiting ? "┆" : bar.kind == Bar::Kind::inside ? "█" : "║";
    }
    return glyph;
  }

  void draw(Cells& cells, const Arrow& arrow, std::uint32_t row) const {
    const bool right = number(arrow.from) < number(arrow.to);
    const std::size_t from = column(arrow.from);
    const std::size_t to = column(arrow.to);
    const std::size_t low = std::min(from, to) + 1;
    const std::size_t high = std::max(from, to) - 1;
    for (std::size_t at = low; at <= high; ++at) cells.put(at, arrow.is_copy ? "╌" : "─");
    for (std::uint32_t i = 0; i < layout_.names.size(); ++i) {
      const std::size_t at = column(NodeId{i});
      if (low < at && at < high) {
        const std::string_view line = lifeline(NodeId{i}, row);
        cells.put(at, line == "│" || line == "┆" ? "┼" : line);
      }
    }
    const std::string_view head = arrow.fate != Arrow::Fate::arrives ? "×" : right ? "►" : "◄";
    cells.put(right ? high : low, head);
    const std::string text = arrow.text.substr(0, pitch_ - 4);
    // Beside the sender, so that one sees whose message it is.
    const std::size_t room = pitch_ - 3 - text.size();
    cells.write(right ? low + 1 + room / 2 : high - text.size() - room / 2, text);
  }

  std::string remark(const Layout::Mark& mark, std::uint32_t row) const {
    std::string said = mark.reason;
    const std::string& name = layout_.names[number(mark.node)];
    if (said.empty() && !mark.label.empty()) said = name + ": " + mark.label;
    if (mark.kind == Layout::Mark::Kind::crash) said = name + " crashes";
    for (const Bar& bar : layout_.bars) {
      if (bar.node != mark.node) continue;
      if (bar.kind == Bar::Kind::inside && bar.first == row && !bar.label.empty()) {
        said += fmt::format(" [fence {}]", bar.label);
      }
      if (bar.kind == Bar::Kind::inside && bar.last == row && !bar.open && said.empty()) {
        said = name + " leaves";
      }
    }
    return said;
  }

  std::string still_under_way(const Arrow& arrow) const {
    return fmt::format("      under way {} -> {}: {}\n", layout_.names[number(arrow.from)],
                       layout_.names[number(arrow.to)], arrow.text);
  }

  Layout layout_;
  std::size_t pitch_;
  std::size_t first_;
  std::size_t width_;
};

}  // namespace

std::string draw_ascii(const Chronicle& chronicle) { return TextDrawing{chronicle}.text(); }

}  // namespace hapax
