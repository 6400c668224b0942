#include "draw/labels.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hapax {
namespace {

constexpr double kOnALabel = 40;
constexpr double kOutside = 1000;
constexpr double kBand = 32;  // Higher than any label.

double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length = dx * dx + dy * dy;
  const double along = length == 0 ? 0 : ((p.x - a.x) * dx + (p.y - a.y) * dy) / length;
  const double t = std::clamp(along, 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

}  // namespace

double text_width(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // Within a character.
    if (std::string_view{"iljtfI.,:;()[]|' "}.find(c) != std::string_view::npos) {
      ems += 0.34;
    } else if (c >= 'A' && c <= 'Z') {
      ems += 0.72;
    } else {
      ems += 0.61;
    }
  }
  return ems * size;
}

int LabelPlacer::band(double y) { return static_cast<int>(std::floor(y / kBand)); }

void LabelPlacer::avoid(Point from, Point to, double cost) {
  const auto [low, high] = std::minmax(from.y, to.y);
  for (int at = band(low - kBand / 2); at <= band(high + kBand / 2); ++at) {
    lines_[at].push_back({from, to, cost});
  }
}

std::optional<LabelPlacer::Place> LabelPlacer::place(const std::vector<Place>& places, double width,
                                                     double height, double most) {
  const Place* best = nullptr;
  double least = most;
  for (const Place& place : places) {
    const double c = place.malus + cost(discs(place, width, height));
    if (c > least || (best != nullptr && c == least)) continue;
    least = c;
    best = &place;
  }
  if (best == nullptr) return std::nullopt;
  for (const Disc& disc : discs(*best, width, height)) {
    taken_[band(disc.at.y)].push_back(disc);
  }
  return *best;
}

std::vector<LabelPlacer::Disc> LabelPlacer::discs(const Place& place, double width, double height) {
  const double radius = height / 2;
  const double reach = std::max(0.0, width / 2 - radius / 2);
  const auto count = static_cast<int>(std::ceil(2 * reach / (height * 0.7))) + 1;
  const double turn = place.angle * std::numbers::pi / 180;
  std::vector<Disc> discs;
  for (int i = 0; i < count; ++i) {
    const double along = count == 1 ? 0 : -reach + 2 * reach * i / (count - 1);
    discs.push_back(
        {{place.at.x + along * std::cos(turn), place.at.y + along * std::sin(turn)}, radius});
  }
  return discs;
}

double LabelPlacer::cost(const std::vector<Disc>& discs) const {
  double sum = 0;
  for (const Disc& disc : discs) {
    const auto [x, y] = disc.at;
    if (x - disc.radius < low_.x || x + disc.radius > high_.x || y - disc.radius < low_.y ||
        y + disc.radius > high_.y) {
      sum += kOutside;
    }
    if (const auto lines = lines_.find(band(y)); lines != lines_.end()) {
      for (const Line& line : lines->second) {
        if (distance(disc.at, line.from, line.to) < disc.radius) sum += line.cost;
      }
    }
    for (int near = band(y) - 1; near <= band(y) + 1; ++near) {
      const auto taken = taken_.find(near);
      if (taken == taken_.end()) continue;
      for (const Disc& other : taken->second) {
        const double apart = std::hypot(x - other.at.x, y - other.at.y);
        if (apart < disc.radius + other.radius) sum += kOnALabel;
      }
    }
  }
  return sum;
}

}  // namespace hapax
