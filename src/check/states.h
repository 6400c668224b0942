// The states that a search has reached: rows of equal width, each once. Open addressing; a slot
// holds part of the hash, to pass over strangers, and the row's number; equality is decided on the
// row itself.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "base/check.h"
#include "check/pages.h"

namespace hapax {

class States {
 public:
  // `width`: 64-bit words of a row.
  explicit States(std::uint32_t width) : width_(width), slots_(std::size_t{1} << 12) {}

  std::uint32_t width() const { return width_; }
  std::uint32_t size() const { return size_; }
  const std::uint64_t* operator[](std::uint32_t number) const {
    return chunks_[number >> kChunkBits].data() + std::size_t{number & kChunkMask} * width_;
  }

  std::uint64_t hash(const std::uint64_t* row) const {
    std::uint64_t sum = 0x9e3779b97f4a7c15;
    for (std::uint32_t w = 0; w < width_; ++w) sum = mix(sum, row[w]);
    return sum;
  }

  // A lookup misses the cache twice, at the slot and at the row. Whoever has many to do announces
  // each twice before, so that the misses overlap.
  void announce_slot(std::uint64_t hash) const {
    __builtin_prefetch(&slots_.data()[hash & (slots_.size() - 1)]);
  }
  void announce_row(std::uint64_t hash) const {
    const std::uint64_t slot = slots_[hash & (slots_.size() - 1)];
    if (slot != 0 && (slot & kTag) == (hash & kTag)) __builtin_prefetch((*this)[number_in(slot)]);
  }

  // The number of the row, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const std::uint64_t* row, std::uint64_t hash) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      const std::uint64_t slot = slots_[at];
      if (slot == 0) {
        const std::uint32_t number = append(row);
        slots_[at] = (hash & kTag) | (number + 1);
        if (5 * std::size_t{size_} > 3 * slots_.size()) place_all(slots_.size() * 2);
        return {number, true};
      }
      if ((slot & kTag) == (hash & kTag) && equals(number_in(slot), row)) {
        return {number_in(slot), false};
      }
    }
  }

  // The number of a row that is there.
  std::uint32_t find(const std::uint64_t* row) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash(row) & mask;; at = (at + 1) & mask) {
      HAPAX_CHECK(slots_[at] != 0);
      if (equals(number_in(slots_[at]), row)) return number_in(slots_[at]);
    }
  }

  // Every row in another shape, under its number: repack(old, new) writes a row of `width` words.
  template <class Repack>
  void reshape(std::uint32_t width, Repack&& repack) {
    States other{width};
    std::vector<std::uint64_t> row(width);
    for (std::uint32_t number = 0; number < size_; ++number) {
      repack((*this)[number], row.data());
      other.append(row.data());
    }
    other.place_all(slots_.size());
    *this = std::move(other);
  }

  std::size_t bytes() const {
    return (slots_.size() + chunks_.size() * kChunkRows * width_) * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::uint32_t kChunkBits = 16;
  static constexpr std::uint32_t kChunkMask = (1u << kChunkBits) - 1;
  static constexpr std::size_t kChunkRows = std::size_t{1} << kChunkBits;
  static constexpr std::uint64_t kTag = ~std::uint64_t{0xffff'ffff};

  static std::uint32_t number_in(std::uint64_t slot) {
    return static_cast<std::uint32_t>(slot) - 1;
  }
  static std::uint64_t mix(std::uint64_t sum, std::uint64_t value) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(sum ^ value) * 0xd6e8feb86659fd93;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  bool equals(std::uint32_t number, const std::uint64_t* row) const {
    const std::uint64_t* mine = (*this)[number];
    for (std::uint32_t w = 0; w < width_; ++w) {
      if (mine[w] != row[w]) return false;
    }
    return true;
  }

  std::uint32_t append(const std::uint64_t* row) {
    HAPAX_CHECK(size_ < 0xffff'fffe);
    if ((size_ & kChunkMask) == 0) chunks_.emplace_back(kChunkRows * width_);
    std::uint64_t* mine = chunks_.back().data() + std::size_t{size_ & kChunkMask} * width_;
    std::memcpy(mine, row, width_ * sizeof(std::uint64_t));
    return size_++;
  }

  void place_all(std::size_t slots) {
    slots_ = Pages{slots};
    const std::size_t mask = slots - 1;
    for (std::uint32_t number = 0; number < size_; ++number) {
      const std::uint64_t h = hash((*this)[number]);
      std::size_t at = h & mask;
      while (slots_[at] != 0) at = (at + 1) & mask;
      slots_[at] = (h & kTag) | (number + 1);
    }
  }

  std::uint32_t width_;
  std::uint32_t size_ = 0;
  Pages slots_;  // Upper half: of the hash. Lower half: number + 1; 0: empty.
  std::vector<Pages> chunks_;
};

}  // namespace hapax
