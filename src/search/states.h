// The states that a search has reached: rows of equal width, each once. Open addressing; a slot
// holds the row's number and as many bits of its hash as there is room for beside it, to skip other
// rows; equality is decided on the row itself. With four bytes a slot most of the table stays in
// the cache.
//
// Several threads can share a table without getting into each other's way: a row belongs to a
// region of it, as its hash says, and each thread looks rows up in a region of its own. What is new
// there it claims; when all have looked, states are numbered as one thread alone would have
// numbered them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "search/paged_rows.h"
#include "search/pages.h"
#include "search/rows.h"
#include "search/slot_shape.h"

namespace hapax {

class States {
 public:
  // `width`: 64-bit words of a row.
  explicit States(std::uint32_t width)
      : width_(width), shape_(SlotShape::kBlockBits), slots_(shape_.slots()), rows_(width) {}

  std::uint32_t width() const { return width_; }
  std::uint32_t size() const { return size_; }
  const std::uint64_t* operator[](std::uint32_t number) const { return rows_[number]; }

  std::uint64_t hash(const std::uint64_t* row) const { return hash_of_row(row, width_); }

  // A lookup misses the cache twice, at the slot and at the row. A caller that has many to do
  // announces each twice beforehand, so that the misses overlap.
  void announce_slot(std::uint64_t hash) const {
    __builtin_prefetch(&slots_[shape_.home_of(hash)]);
  }
  // What a slot says of a row: nothing (0), a state's number + 1, or a claim.
  using Mark = SlotShape::Mark;
  // The state's number; of a claim a higher one than any state has.
  static std::uint32_t number_in(Mark mark) { return mark - 1; }
  // What the row may well be. `claimed` are the rows of the region's claims, if there are any.
  // REQUIRES: there is a state.
  Mark announce_row(std::uint64_t hash, const std::uint64_t* claimed = nullptr) const;
  bool is_row(Mark mark, const std::uint64_t* row, const std::uint64_t* claimed = nullptr) const {
    return mark != 0 && are_equal_rows(row_of(mark, claimed), row, width_);
  }

  // Room for this many more rows, so that slots stay where they are meanwhile.
  void make_room(std::size_t rows) {
    if (grow(size_ + rows)) fill(0, 1);
  }
  // The number of the row, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const std::uint64_t* row, std::uint64_t hash);

  // --- for several threads, each in a region of its own ---

  static constexpr std::uint32_t kMostRegions = 64;
  // Of so many regions, the row's. It stays the same when the table grows.
  static std::uint32_t region_of(std::uint64_t hash, std::uint32_t regions) {
    return static_cast<std::uint32_t>((hash >> 58) * regions / kMostRegions);
  }
  // As make_room(). If it says true the table is empty, until each of its regions has been filled.
  bool take_room(std::size_t rows) { return grow(std::max(size_ + rows, kLeastShared)); }
  void fill(std::uint32_t region, std::uint32_t regions);

  struct Claim {
    Mark mark;           // Of the row …
    bool is_new;         // … which was not there, and is claimed now …
    std::uint32_t slot;  // … here.
  };
  // Claims the row as the region's `nth` unless it is there or claimed. REQUIRES: there is room.
  Claim claim(const std::uint64_t* row, std::uint64_t hash, std::uint32_t nth,
              const std::uint64_t* claimed);
  // Numbers for this many more rows, each of which is to be settled.
  void append(std::uint32_t rows);
  void announce_settling(std::size_t slot) const { __builtin_prefetch(&slots_[slot], 1); }
  void settle(std::size_t slot, std::uint32_t number, const std::uint64_t* row) {
    slots_[slot] = shape_.with_mark(slots_[slot], number + 1);
    copy_row(rows_[number], row, width_);
  }

  // The number of a row that is there.
  std::uint32_t find(const std::uint64_t* row) const;

  // Every row in another shape, under its number: repack(old, new) writes a row of `width` words.
  void reshape(std::uint32_t width,
               const std::function<void(const std::uint64_t*, std::uint64_t*)>& repack);

  std::size_t bytes() const { return slots_.size() * sizeof(std::uint32_t) + rows_.bytes(); }

 private:
  // Rows of the smallest table that has a block for each region.
  static constexpr std::size_t kLeastShared = 3 * kMostRegions * SlotShape::kBlock / 5;
  static constexpr std::uint32_t kSmallBits = 22;  // 16 MB.

  const std::uint64_t* row_of(Mark mark, const std::uint64_t* claimed) const {
    const bool is_claim = mark >= shape_.first_claim();
    return is_claim ? claimed + std::size_t{mark - shape_.first_claim()} * width_ : rows_[mark - 1];
  }

  bool grow(std::size_t rows);
  void take_slots(const SlotShape& shape);

  std::uint32_t width_;
  std::uint32_t size_ = 0;
  SlotShape shape_;
  Pages<std::uint32_t> slots_;
  PagedRows<std::uint64_t> rows_;
};

// What every step of a search goes through is here, so that it can be inlined.

// Without a branch: which way one goes depends on chance, and the processor would guess wrong as
// often as not.
inline States::Mark States::announce_row(std::uint64_t hash, const std::uint64_t* claimed) const {
  const std::uint32_t* group = &slots_[shape_.home_of(hash)];
  Mark mark = 0;
  for (std::size_t i = 0; i < SlotShape::kGroup; ++i) {
    mark = shape_.is_tagged(group[i], hash) ? shape_.mark_in(group[i]) : mark;
  }
  __builtin_prefetch(row_of(mark == 0 ? 1 : mark, claimed));
  return mark;
}

inline std::pair<std::uint32_t, bool> States::insert(const std::uint64_t* row, std::uint64_t hash) {
  make_room(1);
  const Claim found = claim(row, hash, 0, nullptr);
  if (!found.is_new) return {number_in(found.mark), false};
  append(1);
  settle(found.slot, size_ - 1, row);
  return {size_ - 1, true};
}

inline States::Claim States::claim(const std::uint64_t* row, std::uint64_t hash, std::uint32_t nth,
                                   const std::uint64_t* claimed) {
  std::size_t at = shape_.home_of(hash);
  for (; slots_[at] != 0; at = shape_.after(at)) {
    if (!shape_.is_tagged(slots_[at], hash)) continue;
    const Mark mark = shape_.mark_in(slots_[at]);
    if (is_row(mark, row, claimed)) return {mark, false, static_cast<std::uint32_t>(at)};
  }
  const Mark mark = shape_.first_claim() + nth;
  slots_[at] = shape_.slot_of(hash, mark);
  return {mark, true, static_cast<std::uint32_t>(at)};
}

inline void States::append(std::uint32_t rows) {
  size_ += rows;
  rows_.extend(size_);
}

}  // namespace hapax
