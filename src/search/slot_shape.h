// Where in a table of so many slots a row is looked for, and what a slot says. A slot has four
// bytes: below a mark, 0 if it is free, else a state's number + 1 or a claim; above, as many bits
// of the row's hash as there is room for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hapax {

class SlotShape {
 public:
  using Mark = std::uint32_t;

  static constexpr std::uint32_t kGroupBits = 2;
  static constexpr std::size_t kGroup = 1 << kGroupBits;  // So many slots have one home.
  static constexpr std::uint32_t kBlockBits = 12;
  static constexpr std::size_t kBlock = 1 << kBlockBits;

  // REQUIRES: there is a block, and marks leave a bit of the hash or none.
  explicit SlotShape(std::uint32_t bits)
      : bits_(bits),
        home_shift_(64 - bits + kGroupBits),
        mark_mask_(static_cast<std::uint32_t>((std::uint64_t{2} << bits) - 1)) {}

  std::uint32_t bits() const { return bits_; }
  std::size_t slots() const { return std::size_t{1} << bits_; }
  std::size_t most_rows() const { return 3 * slots() / 5; }

  std::size_t home_of(std::uint64_t hash) const { return hash >> home_shift_ << kGroupBits; }
  // A row stays in the block of its home, so that regions made of blocks have nothing in common. A
  // block with a row more than it has slots would be 33 standard deviations above the mean.
  std::size_t after(std::size_t slot) const {
    return (slot & ~(kBlock - 1)) | ((slot + 1) & (kBlock - 1));
  }

  Mark mark_in(std::uint32_t slot) const { return slot & mark_mask_; }
  std::uint32_t slot_of(std::uint64_t hash, Mark mark) const {
    return (static_cast<std::uint32_t>(hash) & ~mark_mask_) | mark;
  }
  std::uint32_t with_mark(std::uint32_t slot, Mark mark) const {
    return (slot & ~mark_mask_) | mark;
  }
  bool is_tagged(std::uint32_t slot, std::uint64_t hash) const {
    return ((slot ^ static_cast<std::uint32_t>(hash)) & ~mark_mask_) == 0;
  }
  // There are twice as many marks as slots: half of them for claims.
  Mark first_claim() const { return mark_mask_ / 2 + 1; }

 private:
  std::uint32_t bits_;
  std::uint32_t home_shift_;  // From a hash to its slot.
  std::uint32_t mark_mask_;
};

}  // namespace hapax
