// The measures of a picture: where the columns and rows of a layout are on the sheet.
#pragma once

#include <string>
#include <vector>

#include "draw/labels.h"
#include "draw/layout.h"

namespace hapax {

inline constexpr double kLabelSize = 11;
inline constexpr double kSmallSize = 9.5;
inline constexpr double kNameSize = 14;
inline constexpr double kCaptionSize = 11.5;
inline constexpr double kCaptionLine = 15;

struct Sheet {
  // The sheet of a layout whose picture begins at `top`.
  Sheet(const Layout& layout, double top);

  double x(NodeId node) const { return columns[number(node)]; }
  double y(std::uint32_t row) const { return rows[row]; }
  // Half of what stands on a lifeline at a row: arrows end at its edge.
  double half_width(const Layout& layout, NodeId node, std::uint32_t row) const;

  double top;
  double bottom = 0;  // Where lifelines end.
  double height = 0;
  double width = 0;
  double right = 0;  // Where the picture ends and the captions begin.
  std::vector<double> columns;
  std::vector<double> rows;
};

inline constexpr double kBarHalf = 6;
inline constexpr double kPaleHalf = 4;

// The text in lines that are at most so wide.
std::vector<std::string> wrapped(const std::string& text, double size, double width);
inline constexpr double kCaptionWidth = 230;

}  // namespace hapax
