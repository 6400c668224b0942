#include "draw/sheet.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace hapax {
namespace {

constexpr double kMargin = 16;
constexpr double kHead = 30;        // For the names.
constexpr double kNarrowest = 100;  // Between lifelines.
constexpr double kOfAFew = 140;     // … of two or three.
constexpr double kWidest = 215;
constexpr double kFlight = 32;   // From a send to an arrival in the next row, at least …
constexpr double kEvent = 22;    // … to a row that has something to say …
constexpr double kArrival = 13;  // … and to one that only receives a message.
constexpr double kBlock = 16;    // More before a caption.
constexpr double kTail = 30;
constexpr double kLongTail = 46;  // If there is something under way, or to be said of the end.

double pitch_of(const Layout& layout) {
  double widest = layout.names.size() <= 3 ? kOfAFew : kNarrowest;
  for (const Layout::Arrow& arrow : layout.arrows) {
    const auto hops = std::max(number(arrow.from), number(arrow.to)) -
                      std::min(number(arrow.from), number(arrow.to));
    if (hops == 0) continue;
    widest = std::max(widest, (text_width(arrow.text, kLabelSize) + 30) / hops);
  }
  for (const std::string& name : layout.names) {
    widest = std::max(widest, text_width(name, kNameSize) + 20);
  }
  return std::min(widest, kWidest);
}

// So that arrows fall about as steeply in a wide picture as in a narrow one.
double flight_of(const Layout& layout) { return std::max(kFlight, 0.19 * pitch_of(layout)); }

double tail_of(const Layout& layout) {
  const bool goes_on =
      std::any_of(layout.arrows.begin(), layout.arrows.end(),
                  [&](const Layout::Arrow& arrow) {
                    return arrow.fate == Layout::Arrow::Fate::under_way &&
                           arrow.sent + 2 >= layout.rows;
                  }) ||
      std::any_of(layout.bars.begin(), layout.bars.end(), [&](const Layout::Bar& bar) {
        return bar.open && !bar.label.empty() && bar.first + 2 >= layout.rows;
      });
  return goes_on ? kLongTail : kTail;
}

// The room that labels at a lifeline need beside it.
double room_at(const Layout& layout, NodeId node) {
  double room = 26;
  for (const Layout::Mark& mark : layout.marks) {
    if (mark.node == node) room = std::max(room, text_width(mark.label, kLabelSize) + 20);
  }
  for (const Layout::Bar& bar : layout.bars) {
    if (bar.node == node && !bar.label.empty()) {
      room = std::max(room, text_width("fence " + bar.label, kLabelSize) + 20);
    }
  }
  return room;
}

// Messages go to the right of the first lifeline; what is told there stands to its left.
double left_room(const Layout& layout) {
  double room = 34;
  for (const Layout::Mark& mark : layout.marks) {
    if (mark.node == NodeId{} && !mark.label.empty() && mark.kind == Layout::Mark::Kind::told) {
      room = std::max(room, text_width(mark.label, kLabelSize) + 2);
    }
  }
  return room;
}

std::vector<double> gaps_of(const Layout& layout) {
  const double flight = flight_of(layout);
  std::vector<double> gaps(layout.rows, kArrival);
  const auto at_least = [&](std::uint32_t row, double gap) {
    if (row < gaps.size()) gaps[row] = std::max(gaps[row], gap);
  };
  for (const Layout::Arrow& arrow : layout.arrows) {
    at_least(arrow.sent, kEvent);
    if (arrow.came == arrow.sent + 1) at_least(arrow.came, flight);
    // What is lost at once needs room to fly, too.
    if (arrow.fate == Layout::Arrow::Fate::lost) at_least(arrow.sent + 1, flight);
  }
  for (const Layout::Mark& mark : layout.marks) {
    if (mark.kind != Layout::Mark::Kind::step || !mark.label.empty()) at_least(mark.row, kEvent);
  }
  for (const Layout::Bar& bar : layout.bars) {
    at_least(bar.first, kEvent);
    at_least(bar.last, kEvent);
  }
  for (const Layout::Line& line : layout.dividers) {
    at_least(line.row, kFlight);
    at_least(line.row + 1, kFlight);
  }
  return gaps;
}

}  // namespace

Sheet::Sheet(const Layout& layout, double sheet_top) : top(sheet_top) {
  const double pitch = pitch_of(layout);
  const auto last = static_cast<std::uint32_t>(layout.names.size() - 1);
  const double left =
      kMargin + std::max(left_room(layout), text_width(layout.names[0], kNameSize) / 2);
  for (std::uint32_t i = 0; i <= last; ++i) columns.push_back(left + pitch * i);
  right = columns.back() + std::max(room_at(layout, NodeId{last}),
                                    text_width(layout.names[last], kNameSize) / 2 + 6);
  for (const Layout::Line& divider : layout.dividers) {
    right = std::max(right, 2 * kMargin + text_width(divider.text, kLabelSize));
  }
  width = right + kMargin + (layout.captions.empty() ? 0 : kCaptionWidth);

  const std::vector<double> gaps = gaps_of(layout);
  double y = top + kHead;
  double caption_ends = 0;
  auto caption = layout.captions.begin();
  for (std::uint32_t row = 0; row < layout.rows; ++row) {
    y += gaps[row];
    if (caption != layout.captions.end() && caption->row == row) {
      if (row > 0) y = std::max(y + kBlock, caption_ends + kBlock);
      const auto lines = wrapped(caption->text, kCaptionSize, kCaptionWidth - kMargin).size();
      caption_ends = y + kCaptionLine * static_cast<double>(lines);
      ++caption;
    }
    rows.push_back(y);
  }
  bottom = y + tail_of(layout);
  height = std::max(bottom, caption_ends) + kMargin - top;
}

double Sheet::half_width(const Layout& layout, NodeId node, std::uint32_t row) const {
  double half = 0;
  for (const Layout::Mark& mark : layout.marks) {
    if (mark.node == node && mark.row == row && mark.kind == Layout::Mark::Kind::deferred) half = 5;
  }
  for (const Layout::Bar& bar : layout.bars) {
    if (bar.node != node || row < bar.first || row > bar.last) continue;
    half = std::max(half, bar.kind == Layout::Bar::Kind::waiting ? kPaleHalf : kBarHalf);
  }
  return half;
}

std::vector<std::string> wrapped(const std::string& text, double size, double width) {
  std::vector<std::string> lines(1);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string word{rest.substr(0, end)};
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::string longer = lines.back().empty() ? word : lines.back() + ' ' + word;
    if (lines.back().empty() || text_width(longer, size) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace hapax
