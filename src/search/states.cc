#include "search/states.h"

namespace hapax {

std::uint32_t States::find(const std::uint64_t* row) const {
  const Place place = look_up(row, hash(row), [](std::uint32_t) { return nullptr; });
  HAPAX_CHECK(place.is_known);
  return place.number;
}

void States::reshape(std::uint32_t width,
                     const std::function<void(const std::uint64_t*, std::uint64_t*)>& repack) {
  States other{width, shards_};
  other.append(size_);
  for (std::uint32_t number = 0; number < size_; ++number) {
    repack((*this)[number], other.row_of(number));
  }
  other.place_all(slots_.size());
  *this = std::move(other);
}

void States::place_all(std::size_t slots) {
  slots_ = Pages{slots};
  const std::size_t mask = slots / shards_ - 1;
  constexpr std::uint32_t kAhead = 16;  // So that the slot is there when it is needed.
  for (std::uint32_t number = 0; number < size_; ++number) {
    if (number + kAhead < size_) announce_slot(hash((*this)[number + kAhead]));
    const std::uint64_t h = hash((*this)[number]);
    const std::size_t start = h & (slots - 1);
    std::size_t at = start;
    while (slots_[at] != 0) at = (start & ~mask) | ((at + 1) & mask);
    slots_[at] = (h & kTag) | (number + 1);
  }
}

}  // namespace hapax
