// The states that a search has reached: rows of equal width, each once. Open addressing; a slot
// holds part of the hash, to skip other rows, and the row's number; equality is decided on the row
// itself.
//
// The slots are cut into shards by hash, so that several threads can look up at once, each in its
// own. They reserve what is new, and numbers are given out when all have looked: in the same order
// as one thread alone would have given them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "search/pages.h"

namespace hapax {

class States {
 public:
  // `width`: 64-bit words of a row. `shards`: a power of two.
  States(std::uint32_t width, std::uint32_t shards)
      : width_(width), shards_(shards), slots_(std::size_t{1} << 12) {}

  std::uint32_t width() const { return width_; }
  std::uint32_t size() const { return size_; }
  const std::uint64_t* operator[](std::uint32_t number) const { return row_of(number); }

  std::uint64_t hash(const std::uint64_t* row) const;
  std::uint32_t shard_of(std::uint64_t hash) const {
    return static_cast<std::uint32_t>((hash & (slots_.size() - 1)) / (slots_.size() / shards_));
  }

  // A lookup misses the cache twice, at the slot and at the row. A caller that has many to do
  // announces each twice beforehand, so that the misses overlap.
  void announce_slot(std::uint64_t hash) const {
    __builtin_prefetch(&slots_.data()[hash & (slots_.size() - 1)]);
  }
  void announce_row(std::uint64_t hash) const {
    const std::uint64_t slot = slots_[hash & (slots_.size() - 1)];
    if (slot != 0 && (slot & kTag) == (hash & kTag) && !is_reserved(number_in(slot))) {
      __builtin_prefetch((*this)[number_in(slot)]);
    }
  }

  // The number of the row, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const std::uint64_t* row, std::uint64_t hash);

  // --- for several threads ---

  struct Place {
    std::size_t slot;      // Where it is, or would be.
    std::uint32_t number;  // Of the state, or of the reservation.
    bool is_known;
  };

  // Room for this many more rows, so that slots stay where they are meanwhile.
  void make_room(std::size_t rows);
  // Looks in the row's shard, among the states and the reservations; reserved(k) is the row of
  // reservation k.
  template <class Reserved>
  Place look_up(const std::uint64_t* row, std::uint64_t hash, Reserved&& reserved) const;
  void reserve(std::size_t slot, std::uint64_t hash, std::uint32_t reservation) {
    slots_[slot] = (hash & kTag) | (kReserved + reservation + 1);
  }
  static bool is_reserved(std::uint32_t number) { return number >= kReserved; }
  // Numbers for this many more rows, each of which is to be settled.
  void append(std::uint32_t rows);
  void settle(std::size_t slot, std::uint64_t hash, std::uint32_t number, const std::uint64_t* row);

  // The number of a row that is there.
  std::uint32_t find(const std::uint64_t* row) const;

  // Every row in another shape, under its number: repack(old, new) writes a row of `width` words.
  void reshape(std::uint32_t width,
               const std::function<void(const std::uint64_t*, std::uint64_t*)>& repack);

  std::size_t bytes() const {
    return (slots_.size() + chunks_.size() * kChunkRows * width_) * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::uint32_t kChunkBits = 16;
  static constexpr std::uint32_t kChunkMask = (1u << kChunkBits) - 1;
  static constexpr std::size_t kChunkRows = std::size_t{1} << kChunkBits;
  static constexpr std::uint64_t kTag = ~std::uint64_t{0xffff'ffff};
  static constexpr std::uint32_t kReserved = 0xf000'0000;  // From here on: reservations.

  static std::uint32_t number_in(std::uint64_t slot) {
    return static_cast<std::uint32_t>(slot) - 1;
  }

  std::uint64_t* row_of(std::uint32_t number) const {
    return chunks_[number >> kChunkBits].data() + std::size_t{number & kChunkMask} * width_;
  }
  bool equals(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::uint32_t w = 0; w < width_; ++w) {
      if (a[w] != b[w]) return false;
    }
    return true;
  }

  void place_all(std::size_t slots);

  std::uint32_t width_;
  std::uint32_t shards_;
  std::uint32_t size_ = 0;
  Pages slots_;  // Upper half: of the hash. Lower half: number + 1; 0: empty.
  std::vector<Pages> chunks_;
};

// What every step of a search goes through is here, so that it can be inlined.

inline std::uint64_t States::hash(const std::uint64_t* row) const {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t sum = 0x9e3779b97f4a7c15;
  for (std::uint32_t w = 0; w < width_; ++w) {
    const Wide product = static_cast<Wide>(sum ^ row[w]) * 0xd6e8feb86659fd93;
    sum = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  return sum;
}

inline std::pair<std::uint32_t, bool> States::insert(const std::uint64_t* row, std::uint64_t hash) {
  make_room(1);
  const Place place = look_up(row, hash, [](std::uint32_t) { return nullptr; });
  if (place.is_known) return {place.number, false};
  const std::uint32_t number = size_;
  append(1);
  settle(place.slot, hash, number, row);
  return {number, true};
}

inline void States::make_room(std::size_t rows) {
  std::size_t slots = slots_.size();
  while (5 * (size_ + rows) > 3 * slots) slots *= 2;
  if (slots != slots_.size()) place_all(slots);
}

template <class Reserved>
States::Place States::look_up(const std::uint64_t* row, std::uint64_t hash,
                              Reserved&& reserved) const {
  const std::size_t mask = slots_.size() / shards_ - 1;
  const std::size_t start = hash & (slots_.size() - 1);
  for (std::size_t at = start;; at = (start & ~mask) | ((at + 1) & mask)) {
    const std::uint64_t slot = slots_[at];
    if (slot == 0) return {at, 0, false};
    if ((slot & kTag) != (hash & kTag)) continue;
    const std::uint32_t number = number_in(slot);
    const std::uint64_t* there =
        is_reserved(number) ? reserved(number - kReserved) : (*this)[number];
    if (equals(there, row)) return {at, number, true};
  }
}

inline void States::append(std::uint32_t rows) {
  HAPAX_CHECK(rows <= kReserved - size_);
  size_ += rows;
  while (chunks_.size() * kChunkRows < size_) chunks_.emplace_back(kChunkRows * width_);
}

inline void States::settle(std::size_t slot, std::uint64_t hash, std::uint32_t number,
                           const std::uint64_t* row) {
  slots_[slot] = (hash & kTag) | (number + 1);
  std::uint64_t* mine = row_of(number);
  for (std::uint32_t w = 0; w < width_; ++w) mine[w] = row[w];
}

}  // namespace hapax
