#include "search/states.h"

namespace hapax {

std::uint32_t States::find(const std::uint64_t* row) const {
  const std::uint64_t h = hash(row);
  for (std::size_t at = h >> shift_;; at = after(at)) {
    HAPAX_CHECK(slots_[at] != 0);
    if (is_tagged(slots_[at], h) && equals((*this)[number_in(slots_[at])], row)) {
      return number_in(slots_[at]);
    }
  }
}

void States::reshape(std::uint32_t width,
                     const std::function<void(const std::uint64_t*, std::uint64_t*)>& repack) {
  States other{width};
  other.slots_ = Pages{slots_.size()};
  other.shift_ = shift_;
  other.append(size_);
  for (std::uint32_t number = 0; number < size_; ++number) {
    std::uint64_t* row = other.row_of(number);
    repack((*this)[number], row);
    const std::uint64_t h = other.hash(row);
    other.slots_[other.free_slot(h)] = slot_with(h, number);
  }
  *this = std::move(other);
}

// What a slot says of the hash is enough to find its place.
void States::grow() {
  HAPAX_CHECK(shift_ > 32);
  const Pages before = std::exchange(slots_, Pages{2 * slots_.size()});
  --shift_;
  for (std::size_t at = 0; at < before.size(); ++at) {
    if (before[at] != 0) slots_[free_slot(before[at] & kTag)] = before[at];
  }
}

}  // namespace hapax
