#include "search/states.h"

#include <array>

#include "base/check.h"

namespace hapax {

std::uint32_t States::find(const std::uint64_t* row) const {
  const std::uint64_t h = hash(row);
  for (std::size_t at = shape_.home_of(h);; at = shape_.after(at)) {
    HAPAX_CHECK(slots_[at] != 0);
    if (shape_.is_tagged(slots_[at], h) && is_row(shape_.mark_in(slots_[at]), row)) {
      return shape_.mark_in(slots_[at]) - 1;
    }
  }
}

void States::reshape(std::uint32_t width,
                     const std::function<void(const std::uint64_t*, std::uint64_t*)>& repack) {
  States other{width};
  other.take_slots(shape_);
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
  if (rows <= shape_.most_rows()) return false;
  SlotShape larger = shape_;
  while (rows > larger.most_rows()) {
    HAPAX_CHECK(larger.bits() < 31);
    larger = SlotShape{larger.bits() + (larger.bits() + 2 <= kSmallBits ? 2 : 1)};
  }
  take_slots(larger);
  return true;
}

void States::take_slots(const SlotShape& shape) {
  slots_ = {};  // Its memory, before the next ones take some.
  slots_ = Pages<std::uint32_t>{shape.slots()};
  shape_ = shape;
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
      std::size_t at = shape_.home_of(rows[i].hash);
      while (slots_[at] != 0) at = shape_.after(at);
      slots_[at] = shape_.slot_of(rows[i].hash, rows[i].number + 1);
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
