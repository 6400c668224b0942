#include "base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hapax {
namespace {

// How many letters have to be put in, left out, changed, or swapped with the next one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> to(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        to[i][j] = i + j;
        continue;
      }
      const std::size_t change = to[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      to[i][j] = std::min({to[i - 1][j] + 1, to[i][j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) to[i][j] = std::min(to[i][j], to[i - 2][j - 2] + 1);
    }
  }
  return to[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  // Of a short word little would be left.
  std::size_t distance = std::min<std::size_t>(4, (word.size() + 3) / 2);
  for (const std::string& candidate : candidates) {
    const bool begins = word.size() > 1 && candidate.starts_with(word);
    const std::size_t d = begins ? 0 : edit_distance(word, candidate);
    const bool is_as_near = d == distance && !best.empty() && candidate.size() == word.size();
    if (d < distance || is_as_near) {
      best = candidate;
      distance = d;
    }
  }
  return best;
}

}  // namespace hapax
