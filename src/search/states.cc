#include "search/states.h"

#include <array>

namespace hapax {

std::uint32_t States::find(const std::uint64_t* row) const {
  const std::uint64_t h = hash(row);
  for (std::size_t at = home_of(h);; at = after(at)) {
    HAPAX_CHECK(slots_[at] != 0);
    if (is_tagged(slots_[at], h) && is_row(mark_in(slots_[at]), row)) {
      return mark_in(slots_[at]) - 1;
    }
  }
}

void States::reshape(std::uint32_t width,
                     const std::function<void(const std::uint64_t*, std::uint64_t*)>& repack) {
  States other{width};
  other.take_slots(bits());
  other.append(size_);
  for (std::uint32_t number = 0; number < size_; ++number) {
    repack((*this)[number], other.rows_[number]);
  }
  other.fill(0, 1);
  *this = std::move(other);
}

// So many slots that so many rows fit; it is true if there were fewer. By four as long as that is
// little memory: to fill a table takes long.
bool States::grow(std::size_t rows) {
  if (rows <= most_rows_) return false;
  std::uint32_t more = bits();
  while (rows > most_rows(std::size_t{1} << more)) more += more + 2 <= kSmallBits ? 2 : 1;
  take_slots(more);
  return true;
}

void States::take_slots(std::uint32_t bits) {
  HAPAX_CHECK(bits <= 31);
  slots_ = {};  // Its memory, before the next ones take some.
  slots_ = Pages<std::uint32_t>{std::size_t{1} << bits};
  home_shift_ = 64 - bits + kGroupBits;
  most_rows_ = most_rows(slots_.size());
  mark_mask_ = static_cast<std::uint32_t>((std::uint64_t{2} << bits) - 1);
}

// Puts every row of the region into the empty table, some at a time, so that their misses overlap.
void States::fill(std::uint32_t region, std::uint32_t regions) {
  struct Row {
    std::uint64_t hash;
    std::uint32_t number;
  };
  std::array<Row, 64> rows;
  std::size_t count = 0;
  const auto put = [&] {
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t at = home_of(rows[i].hash);
      while (slots_[at] != 0) at = after(at);
      slots_[at] = tag_of(rows[i].hash) | (rows[i].number + 1);
    }
    count = 0;
  };
  for (std::uint32_t number = 0; number < size_; ++number) {
    const std::uint64_t h = hash(rows_[number]);
    if (region_of(h, regions) != region) continue;
    announce_slot(h);
    rows[count++] = {h, number};
    if (count == rows.size()) put();
  }
  put();
}

}  // namespace hapax
