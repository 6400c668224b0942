#include "search/states.h"

#include <array>

namespace hapax {

std::uint32_t States::find(const std::uint64_t* row) const {
  const std::uint64_t h = hash(row);
  for (std::size_t at = home_of(h);; at = after(at)) {
    HAPAX_CHECK(slots_[at] != 0);
    if (is_tagged(slots_[at], h) && is_row(mark_in(slots_[at]) - 1, row)) {
      return mark_in(slots_[at]) - 1;
    }
  }
}

void States::reshape(std::uint32_t width,
                     const std::function<void(const std::uint64_t*, std::uint64_t*)>& repack) {
  States other{width};
  other.take_slots(64 - home_shift_ + kGroupBits);
  other.append(size_);
  for (std::uint32_t number = 0; number < size_; ++number) {
    repack((*this)[number], other.rows_[number]);
  }
  other.fill();
  *this = std::move(other);
}

// So many that this many rows fit. By four as long as that is little memory: to fill a table takes
// long, and other threads wait meanwhile.
void States::grow(std::size_t rows) {
  std::uint32_t bits = 64 - home_shift_ + kGroupBits;
  while (rows > most_rows(std::size_t{1} << bits)) bits += bits + 2 <= kSmallBits ? 2 : 1;
  take_slots(bits);
  fill();
}

void States::take_slots(std::uint32_t bits) {
  HAPAX_CHECK(bits <= 31);
  slots_ = {};  // Its memory, before the next ones take some.
  slots_ = Pages<std::uint32_t>{std::size_t{1} << bits};
  home_shift_ = 64 - bits + kGroupBits;
  most_rows_ = most_rows(slots_.size());
  mark_mask_ = static_cast<std::uint32_t>((std::uint64_t{2} << bits) - 1);
}

// Puts every row into the empty table, some at a time, so that their misses overlap.
void States::fill() {
  std::array<std::uint64_t, 64> hashes;
  for (std::uint32_t first = 0; first < size_; first += hashes.size()) {
    const std::uint32_t count = std::min(size_ - first, static_cast<std::uint32_t>(hashes.size()));
    for (std::uint32_t i = 0; i < count; ++i) {
      hashes[i] = hash(rows_[first + i]);
      announce_slot(hashes[i]);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      std::size_t at = home_of(hashes[i]);
      while (slots_[at] != 0) at = after(at);
      slots_[at] = tag_of(hashes[i]) | (first + i + 1);
    }
  }
}

}  // namespace hapax
