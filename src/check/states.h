// The states that a search has reached: rows of equal width, each once. Open addressing; a slot
// holds part of the hash, to pass over strangers, and the row's number; equality is decided on the
// row itself.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"

namespace hapax {

template <class Word>
class States {
 public:
  explicit States(std::uint32_t width) : width_(width), slots_(std::size_t{1} << 12, 0) {}

  std::uint32_t width() const { return width_; }
  std::uint32_t size() const { return size_; }
  const Word* operator[](std::uint32_t number) const {
    return chunks_[number >> kChunkBits].get() + std::size_t{number & kChunkMask} * width_;
  }

  std::uint64_t hash(const Word* row) const {
    std::uint64_t sum = 0x9e3779b97f4a7c15;
    const std::size_t bytes = width_ * sizeof(Word);
    std::size_t at = 0;
    for (; at + 8 <= bytes; at += 8) sum = mix(sum, load(row, at, 8));
    if (at < bytes) sum = mix(sum, load(row, at, bytes - at));
    return sum ^ (sum >> 32);
  }
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }

  // The number of the row, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const Word* row, std::uint64_t hash) {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t tag = hash & ~std::uint64_t{0xffff'ffff};
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      if (slots_[at] == 0) {
        const std::uint32_t number = append(row);
        slots_[at] = tag | (number + 1);
        if (2 * std::size_t{size_} > slots_.size()) grow();
        return {number, true};
      }
      if ((slots_[at] & ~std::uint64_t{0xffff'ffff}) != tag) continue;
      const auto number = static_cast<std::uint32_t>(slots_[at]) - 1;
      if (std::memcmp((*this)[number], row, width_ * sizeof(Word)) == 0) return {number, false};
    }
  }

  // The number of a row that is there.
  std::uint32_t find(const Word* row) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t h = hash(row);
    for (std::size_t at = h & mask;; at = (at + 1) & mask) {
      HAPAX_CHECK(slots_[at] != 0);
      const auto number = static_cast<std::uint32_t>(slots_[at]) - 1;
      if (std::memcmp((*this)[number], row, width_ * sizeof(Word)) == 0) return number;
    }
  }

  std::size_t bytes() const {
    return slots_.size() * sizeof(std::uint64_t) +
           chunks_.size() * (std::size_t{kChunkMask} + 1) * width_ * sizeof(Word);
  }

 private:
  static constexpr std::uint32_t kChunkBits = 14;
  static constexpr std::uint32_t kChunkMask = (1u << kChunkBits) - 1;

  static std::uint64_t load(const Word* row, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(row) + at, count);
    return value;
  }
  static std::uint64_t mix(std::uint64_t sum, std::uint64_t value) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(sum ^ value) * 0xd6e8feb86659fd93;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::uint32_t append(const Word* row) {
    HAPAX_CHECK(size_ < 0xffff'fffe);
    if ((size_ & kChunkMask) == 0) {
      chunks_.push_back(std::make_unique<Word[]>((std::size_t{kChunkMask} + 1) * width_));
    }
    std::memcpy(chunks_.back().get() + std::size_t{size_ & kChunkMask} * width_, row,
                width_ * sizeof(Word));
    return size_++;
  }

  void grow() {
    std::vector<std::uint64_t> larger(slots_.size() * 2, 0);
    const std::size_t mask = larger.size() - 1;
    for (std::uint32_t number = 0; number < size_; ++number) {
      const std::uint64_t h = hash((*this)[number]);
      std::size_t at = h & mask;
      while (larger[at] != 0) at = (at + 1) & mask;
      larger[at] = (h & ~std::uint64_t{0xffff'ffff}) | (number + 1);
    }
    slots_ = std::move(larger);
  }

  std::uint32_t width_;
  std::uint32_t size_ = 0;
  std::vector<std::uint64_t> slots_;  // Upper half: of the hash. Lower half: number + 1; 0: empty.
  std::vector<std::unique_ptr<Word[]>> chunks_;
};

}  // namespace hapax
