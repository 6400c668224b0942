// The states that a search has reached: rows of equal width, each once. Open addressing; a slot
// holds the row's number and as many bits of its hash as there is room for beside it, to skip other
// rows; equality is decided on the row itself. With four bytes a slot most of the table stays in
// the cache.
//
// Several threads can look up at once. What is new each claims under a number of its own, and of
// several claims to the same row the lowest stays: when all have looked, states are numbered as one
// thread alone would have numbered them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/check.h"
#include "search/paged_rows.h"
#include "search/pages.h"
#include "search/rows.h"

namespace hapax {

class States {
 public:
  // `width`: 64-bit words of a row.
  explicit States(std::uint32_t width) : width_(width), rows_(width) { take_slots(kFirstBits); }

  std::uint32_t width() const { return width_; }
  std::uint32_t size() const { return size_; }
  const std::uint64_t* operator[](std::uint32_t number) const { return rows_[number]; }

  std::uint64_t hash(const std::uint64_t* row) const { return hash_of_row(row, width_); }

  // A lookup misses the cache twice, at the slot and at the row. A caller that has many to do
  // announces each twice beforehand, so that the misses overlap.
  void announce_slot(std::uint64_t hash) const { __builtin_prefetch(&slots_[home_of(hash)]); }
  // The state that the row may well be, or kNone. REQUIRES: there is a state.
  std::uint32_t announce_row(std::uint64_t hash) const;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  bool is_row(std::uint32_t number, const std::uint64_t* row) const {
    return are_equal_rows(rows_[number], row, width_);
  }

  // Room for this many more rows, so that slots stay where they are meanwhile. Claims are lost if
  // it says true.
  bool make_room(std::size_t rows);
  // The number of the row, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const std::uint64_t* row, std::uint64_t hash);

  // --- for several threads ---

  // How many more rows there is room for.
  std::size_t room() const { return most_rows_ - size_; }
  // Claims are below this.
  std::size_t most_claims() const { return slots_.size(); }
  struct Looked {
    std::uint32_t number;  // Which state it is, or
    std::size_t slot;      // … where it is claimed.
  };
  static constexpr std::uint32_t kMine = kNone;           // Claimed, unless somebody is lower.
  static constexpr std::uint32_t kOfAnother = kNone - 1;  // Claimed lower.
  void announce_claim(std::uint64_t hash) const { __builtin_prefetch(&slots_[home_of(hash)], 1); }
  // Claims the row unless it is there, or claimed with a lower number. claimed(k) is the row of
  // claim k. REQUIRES: there is room for all claims.
  template <class Claimed>
  Looked claim(const std::uint64_t* row, std::uint64_t hash, std::uint32_t claim,
               Claimed&& claimed);
  // Whether nobody had a lower one. For when all have claimed.
  bool is_claimed(std::size_t slot, std::uint32_t claim) const {
    return mark_in(slots_[slot]) == first_claim() + claim;
  }
  // Numbers for this many more rows, each of which is to be settled.
  void append(std::uint32_t rows);
  void settle(std::size_t slot, std::uint32_t number, const std::uint64_t* row) {
    slots_[slot] = (slots_[slot] & ~mark_mask_) | (number + 1);
    copy_row(rows_[number], row, width_);
  }

  // The number of a row that is there.
  std::uint32_t find(const std::uint64_t* row) const;

  // Every row in another shape, under its number: repack(old, new) writes a row of `width` words.
  void reshape(std::uint32_t width,
               const std::function<void(const std::uint64_t*, std::uint64_t*)>& repack);

  std::size_t bytes() const { return slots_.size() * sizeof(std::uint32_t) + rows_.bytes(); }

 private:
  static constexpr std::uint32_t kFirstBits = 12;
  static constexpr std::uint32_t kSmallBits = 22;  // 16 MB.
  static constexpr std::uint32_t kGroupBits = 2;
  static constexpr std::size_t kGroup = 1 << kGroupBits;  // So many slots have one home.

  // A slot: below, 0 if it is free, a state's number + 1, or a claim; above, bits of the hash.
  std::size_t home_of(std::uint64_t hash) const { return hash >> home_shift_ << kGroupBits; }
  std::size_t after(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  std::uint32_t tag_of(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash) & ~mark_mask_;
  }
  std::uint32_t mark_in(std::uint32_t slot) const { return slot & mark_mask_; }
  bool is_tagged(std::uint32_t slot, std::uint64_t hash) const {
    return ((slot ^ static_cast<std::uint32_t>(hash)) & ~mark_mask_) == 0;
  }
  std::uint32_t first_claim() const { return mark_mask_ / 2 + 1; }
  static std::size_t most_rows(std::size_t slots) { return 3 * slots / 5; }

  void grow(std::size_t rows);
  void take_slots(std::uint32_t bits);
  void fill();

  std::uint32_t width_;
  std::uint32_t size_ = 0;
  std::uint32_t home_shift_ = 64;  // From a hash to its slot.
  std::uint32_t mark_mask_ = 0;    // Twice as many as there are slots.
  std::size_t most_rows_ = 0;
  Pages<std::uint32_t> slots_;
  PagedRows<std::uint64_t> rows_;
};

// What every step of a search goes through is here, so that it can be inlined.

// Without a branch: which way one goes depends on chance, and the processor would guess wrong as
// often as not.
inline std::uint32_t States::announce_row(std::uint64_t hash) const {
  const std::uint32_t* group = &slots_[home_of(hash)];
  std::uint32_t mark = 0;
  for (std::size_t i = 0; i < kGroup; ++i) {
    const std::uint32_t slot = __atomic_load_n(&group[i], __ATOMIC_RELAXED);
    mark = is_tagged(slot, hash) ? mark_in(slot) : mark;
  }
  mark = mark < first_claim() ? mark : 0;
  __builtin_prefetch(rows_[mark == 0 ? 0 : mark - 1]);
  return mark - 1;
}
static_assert(States::kNone + 1 == 0);

inline std::pair<std::uint32_t, bool> States::insert(const std::uint64_t* row, std::uint64_t hash) {
  make_room(1);
  std::size_t at = home_of(hash);
  for (; slots_[at] != 0; at = after(at)) {
    if (!is_tagged(slots_[at], hash)) continue;
    const std::uint32_t number = mark_in(slots_[at]) - 1;
    if (is_row(number, row)) return {number, false};
  }
  const std::uint32_t number = size_;
  append(1);
  slots_[at] = tag_of(hash);
  settle(at, number, row);
  return {number, true};
}

template <class Claimed>
States::Looked States::claim(const std::uint64_t* row, std::uint64_t hash, std::uint32_t claim,
                             Claimed&& claimed) {
  const std::uint32_t mine = tag_of(hash) | (first_claim() + claim);
  for (std::size_t at = home_of(hash);; at = after(at)) {
    std::uint32_t* slot = &slots_[at];
    std::uint32_t there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    // As long as it is free, or is claimed with a higher number, it may become mine.
    for (;;) {
      if (there != 0) {
        if (!is_tagged(there, hash)) break;
        const std::uint32_t mark = mark_in(there);
        const bool is_open = mark >= first_claim();
        if (is_open) {
          if (!are_equal_rows(claimed(mark - first_claim()), row, width_)) break;
          if (there <= mine) return {kOfAnother, at};
        } else {
          if (!is_row(mark - 1, row)) break;
          return {mark - 1, at};
        }
      }
      if (__atomic_compare_exchange_n(slot, &there, mine, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {
        return {kMine, at};
      }
    }
  }
}

inline void States::append(std::uint32_t rows) {
  size_ += rows;
  rows_.extend(size_);
}

inline bool States::make_room(std::size_t rows) {
  if (size_ + rows <= most_rows_) return false;
  grow(size_ + rows);
  return true;
}

}  // namespace hapax
