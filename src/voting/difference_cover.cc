#include "voting/difference_cover.h"

#include <algorithm>

#include "base/check.h"

namespace hapax {
namespace {

constexpr std::uint32_t kSearchUpTo = 40;

// Depth-first search for a cover of exactly `size` elements, extending `chosen` upwards.
class Search {
 public:
  Search(std::uint32_t n, std::size_t size) : n_(n), size_(size), seen_(n, 0) {}

  std::optional<std::vector<std::uint32_t>> run() {
    chosen_ = {0};
    seen_[0] = 1;
    if (extend(1, n_ - 1)) return chosen_;
    return std::nullopt;
  }

 private:
  bool extend(std::uint32_t from, std::uint32_t uncovered) {
    if (chosen_.size() == size_) return uncovered == 0;
    // Each further element adds at most two differences with every element before it.
    std::uint32_t reach = 0;
    for (std::size_t have = chosen_.size(); have < size_; ++have) {
      reach += 2 * static_cast<std::uint32_t>(have);
    }
    if (reach < uncovered) return false;
    for (std::uint32_t d = from; d < n_; ++d) {
      const std::uint32_t gained = mark(d, +1);
      chosen_.push_back(d);
      if (extend(d + 1, uncovered - gained)) return true;
      chosen_.pop_back();
      mark(d, -1);
    }
    return false;
  }
  std::uint32_t mark(std::uint32_t d, int by) {
    std::uint32_t gained = 0;
    for (const std::uint32_t c : chosen_) {
      for (const std::uint32_t difference : {(d + n_ - c) % n_, (c + n_ - d) % n_}) {
        if (by > 0 && seen_[difference] == 0) ++gained;
        seen_[difference] += by;
      }
    }
    return gained;
  }

  std::uint32_t n_;
  std::size_t size_;
  std::vector<int> seen_;  // How many pairs of chosen_ give each difference.
  std::vector<std::uint32_t> chosen_;
};

std::vector<std::uint32_t> smallest_by_search(std::uint32_t n) {
  for (std::size_t size = 1;; ++size) {
    if (size * (size - 1) + 1 < n) continue;
    if (auto cover = Search{n, size}.run()) return *cover;
  }
}

std::vector<std::uint32_t> wichmann_ruler(std::uint32_t length) {
  std::uint32_t best_r = 0, best_s = 0, best_marks = ~std::uint32_t{0};
  for (std::uint32_t r = 0; 4 * r + 3 <= best_marks; ++r) {
    // 4r(r+s+2) + 3(s+1) ≥ length, solved for s.
    const std::uint64_t base = 4ull * r * (r + 2) + 3;
    const std::uint64_t per_s = 4ull * r + 3;
    const auto s =
        static_cast<std::uint32_t>(length > base ? (length - base + per_s - 1) / per_s : 0);
    if (4 * r + s + 3 < best_marks) {
      best_r = r;
      best_s = s;
      best_marks = 4 * r + s + 3;
    }
  }
  std::vector<std::uint32_t> marks{0};
  const auto steps = [&](std::uint32_t count, std::uint32_t step) {
    for (std::uint32_t i = 0; i < count; ++i) marks.push_back(marks.back() + step);
  };
  steps(best_r, 1);
  steps(1, best_r + 1);
  steps(best_r, 2 * best_r + 1);
  steps(best_s, 4 * best_r + 3);
  steps(best_r + 1, 2 * best_r + 2);
  steps(best_r, 1);
  return marks;
}

}  // namespace

bool is_difference_cover(const std::vector<std::uint32_t>& cover, std::uint32_t n) {
  std::vector<bool> seen(n, false);
  for (const std::uint32_t a : cover) {
    for (const std::uint32_t b : cover) seen[(a + n - b) % n] = true;
  }
  return std::all_of(seen.begin(), seen.end(), [](bool s) { return s; });
}

std::vector<std::uint32_t> difference_cover(std::uint32_t n) {
  HAPAX_CHECK(n > 0);
  if (n <= kSearchUpTo) return smallest_by_search(n);
  if (auto plane = singer_difference_set(n)) return *plane;
  std::vector<std::uint32_t> cover = wichmann_ruler(n / 2);
  for (std::uint32_t& mark : cover) mark %= n;
  std::sort(cover.begin(), cover.end());
  cover.erase(std::unique(cover.begin(), cover.end()), cover.end());
  HAPAX_CHECK(is_difference_cover(cover, n));
  return cover;
}

}  // namespace hapax
