#include "draw/svg.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "draw/labels.h"
#include "draw/layout.h"
#include "draw/sheet.h"

namespace hapax {
namespace {

using Arrow = Layout::Arrow;
using Bar = Layout::Bar;
using Mark = Layout::Mark;
using Places = std::vector<LabelPlacer::Place>;

constexpr std::string_view kLifeline = "#9aa0a6";
constexpr std::string_view kInside = "#2f6db5";
constexpr std::string_view kLeading = "#7a4fb3";
constexpr std::string_view kWaiting = "#fbe3a6";
constexpr std::string_view kAlarm = "#cf222e";
constexpr std::string_view kQuiet = "#6b7280";
// One for each kind of message, in the order in which they appear.
constexpr std::string_view kInks[] = {"#1d4f91", "#1b7a43", "#a14a00",
                                      "#6f3a9e", "#00707a", "#8a6d00"};

// How bad it is to stand on what.
constexpr double kOnALifeline = 3;
constexpr double kOnAnArrow = 10;
constexpr double kOnABar = 14;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

class Drawing {
 public:
  Drawing(const Chronicle& chronicle, double top)
      : layout_(lay_out(chronicle, Packing::tight)),
        sheet_(layout_, top),
        labels_({0, top + 26}, {sheet_.right, sheet_.top + sheet_.height}) {}

  const Sheet& sheet() const { return sheet_; }

  std::string text() {
    for (const Layout::Line& caption : layout_.captions) draw_caption(caption);
    for (const Layout::Line& divider : layout_.dividers) draw_divider(divider);
    for (std::uint32_t i = 0; i < layout_.names.size(); ++i) draw_lifeline(NodeId{i});
    for (const Bar& bar : layout_.bars) draw_bar(bar);
    for (const Arrow& arrow : layout_.arrows) draw_arrow(arrow);
    for (const Mark& mark : layout_.marks) draw_mark(mark);
    label_all();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...) + '\n';
  }

  void draw_lifeline(NodeId node) {
    const double x = sheet_.x(node);
    double end = sheet_.bottom;
    for (const Mark& mark : layout_.marks) {
      if (mark.kind == Mark::Kind::crash && mark.node == node) end = sheet_.y(mark.row);
    }
    put(R"(<text x="{:.1f}" y="{:.1f}" class="name">{}</text>)", x, sheet_.top + 22,
        escaped(layout_.names[number(node)]));
    put(R"(<line x1="{0:.1f}" y1="{1:.1f}" x2="{0:.1f}" y2="{2:.1f}" stroke="{3}" stroke-width="1.2"/>)",
        x, sheet_.top + 30, end, kLifeline);
    labels_.avoid({x, sheet_.top}, {x, end}, kOnALifeline);
  }

  void draw_bar(const Bar& bar) {
    const double x = sheet_.x(bar.node);
    const double half = bar.kind == Bar::Kind::waiting ? kPaleHalf : kBarHalf;
    const double from = sheet_.y(bar.first);
    const double to = bar.open ? sheet_.bottom : sheet_.y(bar.last);
    const std::string_view fill = bar.kind == Bar::Kind::waiting   ? kWaiting
                                  : bar.kind == Bar::Kind::clash   ? kAlarm
                                  : bar.kind == Bar::Kind::leading ? kLeading
                                                                   : kInside;
    put(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="1.5" fill="{}"/>)",
        x - half, from, 2 * half, std::max(to - from, 3.0), fill);
    labels_.avoid({x - half, from}, {x - half, to}, kOnABar);
    labels_.avoid({x + half, from}, {x + half, to}, kOnABar);
  }

  // Where the line of an arrow begins and ends.
  std::pair<Point, Point> ends(const Arrow& arrow) const {
    const double side = number(arrow.from) < number(arrow.to) ? 1 : -1;
    const Point from{
        sheet_.x(arrow.from) + side * sheet_.half_width(layout_, arrow.from, arrow.sent),
        sheet_.y(arrow.sent)};
    Point to{sheet_.x(arrow.to) - side * sheet_.half_width(layout_, arrow.to, arrow.came),
             sheet_.y(arrow.came)};
    // What does not arrive ends before the lifeline it was sent to, past all others.
    const double pitch = sheet_.columns.size() > 1 ? sheet_.columns[1] - sheet_.columns[0] : 0;
    if (arrow.fate == Arrow::Fate::lost) {
      to = {to.x - side * 0.3 * pitch, from.y + 26};
    } else if (arrow.fate == Arrow::Fate::under_way) {
      to = {to.x - side * 0.4 * pitch, std::min(from.y + 38, sheet_.bottom)};
    } else if (to.y <= from.y) {
      to.y = from.y + 10;
    }
    return {from, to};
  }

  std::string_view ink(const Arrow& arrow) {
    const std::string kind = arrow.text.substr(0, arrow.text.find('('));
    const auto [at, is_new] = inks_.try_emplace(kind, inks_.size());
    return kInks[at->second % std::size(kInks)];
  }

  void draw_arrow(const Arrow& arrow) {
    const auto [from, to] = ends(arrow);
    const std::string_view color = ink(arrow);
    const std::string_view dashes = arrow.is_copy ? R"( stroke-dasharray="2 2.5")"
                                    : arrow.fate == Arrow::Fate::under_way
                                        ? R"( stroke-dasharray="6 3")"
                                        : "";
    put(R"(<g><title>{} → {}: {}</title>)", escaped(layout_.names[number(arrow.from)]),
        escaped(layout_.names[number(arrow.to)]), escaped(arrow.text));
    put(R"(<line class="arrow" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="1.3"{}/>)",
        from.x, from.y, to.x, to.y, color, dashes);
    if (arrow.fate == Arrow::Fate::arrives || arrow.fate == Arrow::Fate::under_way) {
      draw_head(from, to, color);
    } else {
      draw_cross(to, 4.5, 2);
    }
    put("</g>");
    labels_.avoid(from, to, kOnAnArrow);
  }

  void draw_head(Point from, Point to, std::string_view color) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const double ux = (to.x - from.x) / length;
    const double uy = (to.y - from.y) / length;
    put(R"(<polygon points="{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}" fill="{}"/>)", to.x, to.y,
        to.x - 9 * ux - 3.4 * uy, to.y - 9 * uy + 3.4 * ux, to.x - 9 * ux + 3.4 * uy,
        to.y - 9 * uy - 3.4 * ux, color);
  }

  void draw_cross(Point at, double r, double width) {
    const std::string path =
        fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}M{:.1f} {:.1f}L{:.1f} {:.1f}", at.x - r, at.y - r,
                    at.x + r, at.y + r, at.x - r, at.y + r, at.x + r, at.y - r);
    // White below, so that it can be seen on a bar, too.
    put(R"(<path d="{}" stroke="#fff" stroke-width="{}"/>)", path, width + 3);
    put(R"(<path d="{}" stroke="{}" stroke-width="{}"/>)", path, kAlarm, width);
    labels_.avoid({at.x - r, at.y}, {at.x + r, at.y}, kOnABar);
  }

  void draw_mark(const Mark& mark) {
    const Point at{sheet_.x(mark.node), sheet_.y(mark.row)};
    put("<g><title>{}</title>", escaped(mark.reason));
    if (mark.kind == Mark::Kind::crash) {
      draw_cross(at, 7, 2.6);
    } else if (mark.kind == Mark::Kind::refused || mark.kind == Mark::Kind::rejected) {
      draw_cross(at, 5, 2.2);
    } else {
      const bool hollow = mark.kind == Mark::Kind::deferred;
      put(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}" stroke="#333" stroke-width="{}"/>)",
          at.x, at.y, hollow ? 3.8 : 2.4, hollow ? "#fff" : "#333", hollow ? 1.4 : 0);
    }
    put("</g>");
  }

  void draw_divider(const Layout::Line& divider) {
    const double y = sheet_.y(divider.row);
    put(R"(<line x1="12" y1="{0:.1f}" x2="{1:.1f}" y2="{0:.1f}" stroke="{2}" stroke-dasharray="2 4"/>)",
        y, sheet_.right, kQuiet);
  }

  void draw_caption(const Layout::Line& caption) {
    double y = sheet_.y(caption.row);
    if (caption.row > 0) {
      put(R"(<line x1="12" y1="{0:.1f}" x2="{1:.1f}" y2="{0:.1f}" stroke="#e3e5e8"/>)", y - 17,
          sheet_.width - 12);
    }
    for (const std::string& line : wrapped(caption.text, kCaptionSize, kCaptionWidth - 16)) {
      put(R"(<text x="{:.1f}" y="{:.1f}" class="caption">{}</text>)", sheet_.right + 16, y + 2,
          escaped(line));
      y += kCaptionLine;
    }
  }

  // --- labels: what matters most chooses first ---

  void label_all() {
    for (const Layout::Line& divider : layout_.dividers) label(divider);
    for (const Bar& bar : layout_.bars) label(bar);
    for (const Mark& mark : layout_.marks) label(mark);
    std::map<std::tuple<std::uint32_t, std::string, bool>, std::vector<const Arrow*>> groups;
    for (const Arrow& arrow : layout_.arrows) {
      groups[{arrow.step, words_on(arrow), arrow.from < arrow.to}].push_back(&arrow);
    }
    for (const auto& [key, arrows] : groups) label(arrows);
    for (const Mark& mark : layout_.marks) label_aside(mark);
  }

  static std::string words_on(const Arrow& arrow) {
    return arrow.is_copy ? arrow.text + ", copy" : arrow.text;
  }

  // Beside a lifeline, near y.
  static Places beside(Point at, double half, double width) {
    Places places;
    for (const double dy : {0.0, -8.0, 8.0, -14.0, 14.0}) {
      places.push_back({{at.x + half + 6 + width / 2, at.y + dy}, 0, std::abs(dy) / 8});
      places.push_back({{at.x - half - 6 - width / 2, at.y + dy}, 0, 1.5 + std::abs(dy) / 8});
    }
    return places;
  }

  // Above the line, wherever there is room.
  void label(const Layout::Line& divider) {
    const double y = sheet_.y(divider.row) - kLabelSize / 2 - 3;
    const double width = text_width(divider.text, kLabelSize);
    const double middle = (sheet_.columns.front() + sheet_.columns.back()) / 2;
    Places places;
    for (double x = 14 + width / 2; x <= sheet_.right - width / 2; x += 6) {
      places.push_back({{x, y}, 0, std::abs(x - middle) / 100});
    }
    if (const auto place = labels_.place(places, width, kLabelSize + 1)) {
      write(place->at, 0, divider.text, "label", kQuiet);
    }
  }

  void label(const Bar& bar) {
    if (bar.label.empty()) return;
    const bool inside = bar.kind == Bar::Kind::inside;
    const std::string words = inside ? "fence " + bar.label : bar.label;
    const double width = text_width(words, kLabelSize);
    const double from = sheet_.y(bar.first);
    const double to = bar.open ? sheet_.bottom : sheet_.y(bar.last);
    // What is inside is labelled in the middle; one that waits for ever, where the picture ends.
    const bool waits = bar.kind == Bar::Kind::waiting;
    Places places;
    for (const double along : {0.5, 0.35, 0.65, 0.2, 0.8, 0.05, 0.95}) {
      for (Places::value_type& place :
           beside({sheet_.x(bar.node), from + along * (to - from)}, kBarHalf, width)) {
        if (waits) place.malus += 10 * std::abs(0.8 - along);
        places.push_back(place);
      }
    }
    const bool alarms = bar.violates || bar.stale || waits;
    const std::string_view color = alarms ? kAlarm : inside ? kInside : kLeading;
    if (const auto place = labels_.place(places, width, kLabelSize + 1)) {
      write(place->at, 0, words, "strong", color);
    }
  }

  void label(const Mark& mark) {
    if (mark.label.empty()) return;
    const Point at{sheet_.x(mark.node), sheet_.y(mark.row)};
    const double width = text_width(mark.label, kLabelSize);
    const double half = sheet_.half_width(layout_, mark.node, mark.row);
    const auto place = labels_.place(beside(at, half, width), width, kLabelSize + 1);
    const bool refused = mark.kind == Mark::Kind::refused || mark.kind == Mark::Kind::rejected;
    if (place) write(place->at, 0, mark.label, "label", refused ? kAlarm : "#222");
  }

  // One label for all arrows of a multicast to one side.
  void label(const std::vector<const Arrow*>& arrows) {
    const std::string words = words_on(*arrows.front());
    const double width = text_width(words, kLabelSize);
    Places places;
    for (const Arrow* arrow : arrows) {
      const auto [from, to] = ends(*arrow);
      const double length = std::hypot(to.x - from.x, to.y - from.y);
      double angle = std::atan2(to.y - from.y, to.x - from.x) * 180 / std::numbers::pi;
      if (angle > 90) angle -= 180;
      const double side = angle * std::numbers::pi / 180;
      for (const double t : {0.5, 0.46, 0.54, 0.42, 0.58, 0.38, 0.62, 0.34, 0.66, 0.3, 0.7, 0.26,
                             0.74, 0.18, 0.82}) {
        const double over = std::max(0.0, width / 2 - std::min(t, 1 - t) * length);
        for (const double off : {-1.0, 1.0}) {
          const double away = off * (kLabelSize / 2 + 2.5);
          places.push_back({{from.x + t * (to.x - from.x) - away * std::sin(side),
                             from.y + t * (to.y - from.y) + away * std::cos(side)},
                            angle,
                            std::abs(t - 0.5) * 4 + (off > 0 ? 1 : 0) + over});
        }
      }
    }
    if (const auto place = labels_.place(places, width, kLabelSize)) {
      write(place->at, place->angle, words, "label", ink(*arrows.front()));
    }
  }

  // Nice to have where there is room: the clock, and that somebody is kept waiting.
  void label_aside(const Mark& mark) {
    const Point at{sheet_.x(mark.node), sheet_.y(mark.row)};
    const double half = sheet_.half_width(layout_, mark.node, mark.row);
    const auto aside = [&](const std::string& words, const char* style, double most) {
      const double width = text_width(words, kSmallSize);
      const auto place = labels_.place(beside(at, half, width), width, kSmallSize, most);
      if (place) write(place->at, 0, words, style, kQuiet);
    };
    if (mark.kind == Mark::Kind::deferred) aside("defers", "aside", 30);
    if (mark.clock) aside(fmt::format("{}", *mark.clock), "clock", 9);
  }

  void write(Point at, double angle, std::string_view words, std::string_view style,
             std::string_view color) {
    std::string turn;
    if (angle != 0) {
      turn = fmt::format(" transform=\"rotate({:.1f} {:.1f} {:.1f})\"", angle, at.x, at.y);
    }
    put(R"(<text x="{:.1f}" y="{:.1f}" dy="0.35em" class="{}" fill="{}"{}>{}</text>)", at.x, at.y,
        style, color, turn, escaped(words));
  }

  Layout layout_;
  Sheet sheet_;
  LabelPlacer labels_;
  std::string out_;
  std::map<std::string, std::size_t> inks_;
};

constexpr std::string_view kStyle = R"(<style>
text{font-family:Helvetica,Arial,"Liberation Sans","DejaVu Sans",sans-serif;text-anchor:middle}
.name{font-size:14px;font-weight:bold;fill:#111}
.label,.strong,.aside,.clock{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.label{font-size:11px}
.strong{font-size:11px;font-weight:bold}
.aside{font-size:9.5px;font-style:italic}
.clock{font-size:9.5px}
.caption{font-size:11.5px;fill:#444;text-anchor:start}
</style>)";

}  // namespace

std::string draw_svg(std::span<const Chronicle> scenes) {
  std::string body;
  double width = 0;
  double height = 0;
  for (const Chronicle& scene : scenes) {
    Drawing drawing{scene, height};
    body += drawing.text();
    width = std::max(width, drawing.sheet().width);
    height += drawing.sheet().height;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<title>{2}</title>\n{3}\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{4}</svg>\n",
      std::ceil(width), std::ceil(height), escaped(scenes.empty() ? "" : scenes[0].algorithm),
      kStyle, body);
}

}  // namespace hapax
