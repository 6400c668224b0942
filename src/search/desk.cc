#include "search/desk.h"

#include <array>

namespace hapax {

void SearchMail::copy_rows(std::uint32_t first, const Steps& from, std::uint32_t width) {
  if (rows.size() < std::size_t{used} * width) rows.resize(steps.size() * width);
  for (std::uint32_t s = first; s < used; ++s) {
    copy_row(rows.data() + std::size_t{s} * width, from.row(steps[s].nth), width);
  }
}

void SearchDesk::clear_mail() {
  for (SearchMail& each : mail) each.used = 0;
}

void SearchDesk::sift(const States& states, unsigned regions) {
  std::array<SearchMail::Step*, States::kMostRegions> ends;
  for (unsigned r = 0; r < regions; ++r) {
    auto& steps = mail[r].steps;
    const std::size_t most = mail[r].used + slice.size() + 1;
    if (steps.size() < most) steps.resize(2 * most);
    ends[r] = steps.data() + mail[r].used;
  }
  std::uint32_t from = slice.begin;
  std::uint32_t nth = 0;
  for (const SearchSlice::Expanded& expanded : slice.expanded) {
    for (; nth < expanded.end; ++nth) {
      const std::uint64_t* row = slice.steps.row(nth);
      const std::uint64_t hash = states.hash(row);
      SearchMail::Step*& end = ends[States::region_of(hash, regions)];
      *end = {hash, nth, from};
      end += !recent.see(row, hash);  // Without a branch: it depends on chance.
    }
    ++from;
  }
  for (unsigned r = 0; r < regions; ++r) {
    mail[r].used = static_cast<std::uint32_t>(ends[r] - mail[r].steps.data());
  }
}

}  // namespace hapax
