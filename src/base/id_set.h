// A set of small ids that iterates in id order. A value of one word: members below 63 live in the
// word itself, so a small set never allocates; a larger one keeps a block of bits on the heap.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/ids.h"

namespace hapax {

// Over the bits of consecutive words.
template <class Id>
class IdSetIterator {
 public:
  using value_type = Id;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;
  using pointer = const Id*;
  using reference = Id;

  IdSetIterator() = default;
  IdSetIterator(const std::uint64_t* word, const std::uint64_t* end, std::uint64_t rest,
                std::uint32_t base)
      : word_(word), end_(end), rest_(rest), base_(base) {
    skip_empty_words();
  }
  Id operator*() const { return Id{base_ + static_cast<std::uint32_t>(std::countr_zero(rest_))}; }
  IdSetIterator& operator++() {
    rest_ &= rest_ - 1;
    skip_empty_words();
    return *this;
  }
  IdSetIterator operator++(int) {
    IdSetIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const IdSetIterator& a, const IdSetIterator& b) {
    return a.word_ == b.word_ && a.rest_ == b.rest_;
  }

 private:
  void skip_empty_words() {
    while (rest_ == 0 && word_ != end_) {
      if (++word_ == end_) break;
      rest_ = *word_;
      base_ += 64;
    }
  }
  const std::uint64_t* word_ = nullptr;
  const std::uint64_t* end_ = nullptr;
  std::uint64_t rest_ = 0;
  std::uint32_t base_ = 0;
};

template <class Id>
class IdSet {
 public:
  IdSet() = default;
  IdSet(std::initializer_list<Id> ids) {
    for (const Id id : ids) insert(id);
  }
  IdSet(const IdSet& other) : word_(other.is_small() ? other.word_ : copy_of(other)) {}
  IdSet(IdSet&& other) noexcept : word_(std::exchange(other.word_, kEmpty)) {}
  IdSet& operator=(IdSet other) noexcept {
    std::swap(word_, other.word_);
    return *this;
  }
  ~IdSet() { free_block(); }

  // Every id below `size`.
  static IdSet all_below(std::uint32_t size);

  bool contains(Id id) const {
    const std::uint32_t i = index(id);
    if (is_small()) return i < kSmall && (word_ >> (i + 1) & 1) != 0;
    return i / 64 < block().words && (block().bits()[i / 64] >> (i % 64) & 1) != 0;
  }

  // True if `id` was not there before.
  bool insert(Id id);

  // True if `id` was there before.
  bool erase(Id id);

  std::uint32_t size() const {
    return is_small() ? static_cast<std::uint32_t>(std::popcount(word_)) - 1 : block().count;
  }
  bool empty() const { return is_small() ? word_ == kEmpty : block().count == 0; }

  // Keeps a modest block, so that filling the set again allocates nothing; gives a large one back,
  // so that a process that is idle again costs nothing.
  void clear();

  // Bytes on the heap.
  std::size_t heap_bytes() const { return is_small() ? 0 : Block::bytes(block().words); }

  using Iterator = IdSetIterator<Id>;
  Iterator begin() const {
    if (is_small()) return {nullptr, nullptr, word_ >> 1, 0};
    const std::uint64_t* bits = block().bits();
    return {bits, bits + block().words, bits[0], 0};
  }
  Iterator end() const {
    if (is_small()) return {nullptr, nullptr, 0, 0};
    const std::uint64_t* past = block().bits() + block().words;
    return {past, past, 0, 0};
  }

  friend bool operator==(const IdSet& a, const IdSet& b) {
    if (a.is_small() && b.is_small()) return a.word_ == b.word_;
    if (a.size() != b.size()) return false;
    for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
      if (*i != *j) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kSmall = 63;
  static constexpr std::uint32_t kKeptWords = 128;
  static constexpr std::uint64_t kEmpty = 1;

  struct Block {
    std::uint32_t words;
    std::uint32_t count;  // Invariant: the number of bits set.

    std::uint64_t* bits() { return reinterpret_cast<std::uint64_t*>(this + 1); }
    const std::uint64_t* bits() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
    static std::size_t bytes(std::uint32_t words) {
      return sizeof(Block) + words * sizeof(std::uint64_t);
    }
  };
  static_assert(sizeof(Block) == sizeof(std::uint64_t));

  static std::uint32_t index(Id id) { return static_cast<std::uint32_t>(id); }
  bool is_small() const { return (word_ & 1) != 0; }
  Block& block() const { return *reinterpret_cast<Block*>(word_); }

  static std::uint64_t adopt(Block* block) { return reinterpret_cast<std::uint64_t>(block); }
  static Block* make_block(std::uint32_t words) {
    auto* block = static_cast<Block*>(::operator new(Block::bytes(words)));
    block->words = words;
    block->count = 0;
    return block;
  }
  static std::uint64_t copy_of(const IdSet& other);
  void free_block() {
    if (!is_small()) ::operator delete(&block());
  }
  void grow_to(std::uint32_t i);

  // Bit 0 set: bits 1…63 are members 0…62. Bit 0 clear: the address of a Block.
  std::uint64_t word_ = kEmpty;
};

template <class Id>
inline IdSet<Id> IdSet<Id>::all_below(std::uint32_t size) {
  IdSet set;
  if (size <= kSmall) {
    set.word_ = (((std::uint64_t{1} << size) - 1) << 1) | kEmpty;
    return set;
  }
  set.grow_to(size - 1);
  Block& block = set.block();
  for (std::uint32_t w = 0; w < size / 64; ++w) block.bits()[w] = ~std::uint64_t{0};
  if (size % 64 != 0) block.bits()[size / 64] = (std::uint64_t{1} << (size % 64)) - 1;
  block.count = size;
  return set;
}

template <class Id>
inline bool IdSet<Id>::insert(Id id) {
  const std::uint32_t i = index(id);
  if (is_small()) {
    if (i < kSmall) {
      const std::uint64_t before = std::exchange(word_, word_ | std::uint64_t{1} << (i + 1));
      return before != word_;
    }
    grow_to(i);
  } else if (i / 64 >= block().words) {
    grow_to(i);
  }
  std::uint64_t& word = block().bits()[i / 64];
  const std::uint64_t bit = std::uint64_t{1} << (i % 64);
  if ((word & bit) != 0) return false;
  word |= bit;
  ++block().count;
  return true;
}

template <class Id>
inline bool IdSet<Id>::erase(Id id) {
  const std::uint32_t i = index(id);
  if (is_small()) {
    if (i >= kSmall) return false;
    const std::uint64_t before = std::exchange(word_, word_ & ~(std::uint64_t{1} << (i + 1)));
    return before != word_;
  }
  if (i / 64 >= block().words) return false;
  std::uint64_t& word = block().bits()[i / 64];
  const std::uint64_t bit = std::uint64_t{1} << (i % 64);
  if ((word & bit) == 0) return false;
  word &= ~bit;
  --block().count;
  return true;
}

template <class Id>
inline void IdSet<Id>::clear() {
  if (is_small() || block().words > kKeptWords) {
    free_block();
    word_ = kEmpty;
  } else {
    std::memset(block().bits(), 0, block().words * sizeof(std::uint64_t));
    block().count = 0;
  }
}

template <class Id>
inline void IdSet<Id>::grow_to(std::uint32_t i) {
  const std::uint32_t had = is_small() ? 1 : block().words;
  const std::uint32_t words = std::bit_ceil(i / 64 + 1);
  Block* larger = make_block(words > had ? words : had);
  std::memset(larger->bits(), 0, larger->words * sizeof(std::uint64_t));
  larger->count = size();
  if (is_small()) {
    larger->bits()[0] = word_ >> 1;
  } else {
    std::memcpy(larger->bits(), block().bits(), had * sizeof(std::uint64_t));
  }
  free_block();
  word_ = adopt(larger);
}

template <class Id>
inline std::uint64_t IdSet<Id>::copy_of(const IdSet& other) {
  Block* copy = make_block(other.block().words);
  std::memcpy(copy, &other.block(), Block::bytes(other.block().words));
  return adopt(copy);
}

using NodeSet = IdSet<NodeId>;

}  // namespace hapax
