// Where the labels of a picture go: each has some places it would like, and gets the one where it
// covers least of the drawing.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hapax {

struct Point {
  double x = 0;
  double y = 0;
};

// How wide a text is in a common sans-serif font of that size; about right is enough.
double text_width(std::string_view text, double size);

class LabelPlacer {
 public:
  // The middle of a label and how it is turned, in degrees.
  struct Place {
    Point at;
    double angle = 0;
    double malus = 0;  // The larger, the less liked.
  };

  LabelPlacer(Point top_left, Point bottom_right) : low_(top_left), high_(bottom_right) {}

  // A line that labels should not cover, and how bad it is if one does.
  void avoid(Point from, Point to, double cost);

  // The best place, taken from now on; nothing if even that costs more than `most`.
  std::optional<Place> place(const std::vector<Place>& places, double width, double height,
                             double most = 1e9);

 private:
  struct Line {
    Point from;
    Point to;
    double cost;
  };
  // A label takes the room of some discs in a row.
  struct Disc {
    Point at;
    double radius;
  };

  static std::vector<Disc> discs(const Place& place, double width, double height);
  double cost(const std::vector<Disc>& discs) const;
  static int band(double y);

  Point low_;
  Point high_;
  // By bands of the sheet, so that a label looks only at what is near.
  std::unordered_map<int, std::vector<Line>> lines_;
  std::unordered_map<int, std::vector<Disc>> taken_;
};

}  // namespace hapax
