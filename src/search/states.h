// The states that a search has reached: rows of equal width, each once. Open addressing; a slot
// holds the upper half of the hash, which says where it belongs and skips other rows, and the row's
// number; equality is decided on the row itself. Since slots are in the order of hashes, a larger
// table is filled from a smaller one from front to back, without looking at rows.
//
// Several threads can look up at once. What is new each claims under a number of its own, and of
// several claims to the same row the lowest stays: when all have looked, states are numbered as one
// thread alone would have numbered them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "search/pages.h"

namespace hapax {

class States {
 public:
  // `width`: 64-bit words of a row.
  explicit States(std::uint32_t width) : width_(width), slots_(std::size_t{1} << kFirstBits) {}

  std::uint32_t width() const { return width_; }
  std::uint32_t size() const { return size_; }
  const std::uint64_t* operator[](std::uint32_t number) const { return row_of(number); }

  std::uint64_t hash(const std::uint64_t* row) const;

  // A lookup misses the cache twice, at the slot and at the row. A caller that has many to do
  // announces each twice beforehand, so that the misses overlap.
  void announce_slot(std::uint64_t hash) const {
    __builtin_prefetch(&slots_.data()[hash >> shift_]);
  }
  void announce_row(std::uint64_t hash) const {
    const std::uint64_t slot = __atomic_load_n(&slots_.data()[hash >> shift_], __ATOMIC_RELAXED);
    if (slot != 0 && is_tagged(slot, hash) && !is_claim(number_in(slot))) {
      __builtin_prefetch((*this)[number_in(slot)]);
    }
  }

  // Room for this many more rows, so that slots stay where they are meanwhile.
  void make_room(std::size_t rows);
  // The number of the row, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const std::uint64_t* row, std::uint64_t hash);

  // --- for several threads ---

  static constexpr std::uint32_t kMostClaims = 0x1000'0000;
  // How many more rows there is room for.
  std::size_t room() const {
    return most_rows(slots_.size()) - std::min(most_rows(slots_.size()), std::size_t{size_});
  }
  // Claims the row unless it is there, or claimed with a lower number; then says which state it is,
  // or kClaimed. claimed(k) is the row of claim k. REQUIRES: there is room for all claims.
  template <class Claimed>
  std::optional<std::uint32_t> claim(const std::uint64_t* row, std::uint64_t hash,
                                     std::uint32_t claim, Claimed&& claimed);
  static constexpr std::uint32_t kClaimed = ~std::uint32_t{0};
  // Where it is, if nobody had a lower one. For when all have claimed.
  std::optional<std::size_t> find_claim(std::uint64_t hash, std::uint32_t claim) const;
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
  static constexpr std::uint32_t kFirstBits = 12;
  static constexpr std::uint64_t kTag = ~std::uint64_t{0xffff'ffff};
  static constexpr std::uint32_t kFirstClaim = kClaimed - kMostClaims;  // Above: claims.

  static bool is_claim(std::uint32_t number) { return number >= kFirstClaim; }
  static bool is_tagged(std::uint64_t slot, std::uint64_t hash) {
    return (slot & kTag) == (hash & kTag);
  }
  static std::uint64_t slot_with(std::uint64_t hash, std::uint32_t number) {
    return (hash & kTag) | (number + 1);
  }
  static std::size_t most_rows(std::size_t slots) { return 3 * slots / 5; }
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

  std::size_t after(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  std::size_t free_slot(std::uint64_t hash) const {
    std::size_t at = hash >> shift_;
    while (slots_[at] != 0) at = after(at);
    return at;
  }
  void grow();

  std::uint32_t width_;
  std::uint32_t size_ = 0;
  std::uint32_t shift_ = 64 - kFirstBits;  // From a hash to its slot.
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
  std::size_t at = hash >> shift_;
  for (; slots_[at] != 0; at = after(at)) {
    if (!is_tagged(slots_[at], hash)) continue;
    const std::uint32_t number = number_in(slots_[at]);
    if (equals((*this)[number], row)) return {number, false};
  }
  const std::uint32_t number = size_;
  append(1);
  settle(at, hash, number, row);
  return {number, true};
}

inline void States::make_room(std::size_t rows) {
  while (size_ + rows > most_rows(slots_.size())) grow();
}

template <class Claimed>
std::optional<std::uint32_t> States::claim(const std::uint64_t* row, std::uint64_t hash,
                                           std::uint32_t claim, Claimed&& claimed) {
  const std::uint64_t mine = slot_with(hash, kFirstClaim + claim);
  for (std::size_t at = hash >> shift_;; at = after(at)) {
    std::uint64_t* slot = &slots_[at];
    std::uint64_t there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    // As long as it is free, or is claimed with a higher number, it may become mine.
    for (;;) {
      if (there != 0) {
        if (!is_tagged(there, hash)) break;
        const std::uint32_t number = number_in(there);
        const bool is_open = is_claim(number);
        if (!equals(is_open ? claimed(number - kFirstClaim) : (*this)[number], row)) break;
        if (!is_open) return number;
        if (there <= mine) return kClaimed;
      }
      if (__atomic_compare_exchange_n(slot, &there, mine, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {
        return std::nullopt;
      }
    }
  }
}

inline std::optional<std::size_t> States::find_claim(std::uint64_t hash,
                                                     std::uint32_t claim) const {
  const std::uint64_t mine = slot_with(hash, kFirstClaim + claim);
  for (std::size_t at = hash >> shift_; slots_[at] != 0; at = after(at)) {
    if (slots_[at] == mine) return at;
  }
  return std::nullopt;
}

inline void States::append(std::uint32_t rows) {
  HAPAX_CHECK(rows <= kFirstClaim - size_);
  size_ += rows;
  while (chunks_.size() * kChunkRows < size_) chunks_.emplace_back(kChunkRows * width_);
}

inline void States::settle(std::size_t slot, std::uint64_t hash, std::uint32_t number,
                           const std::uint64_t* row) {
  slots_[slot] = slot_with(hash, number);
  std::uint64_t* mine = row_of(number);
  for (std::uint32_t w = 0; w < width_; ++w) mine[w] = row[w];
}

}  // namespace hapax
