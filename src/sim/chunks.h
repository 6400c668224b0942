// Lists that grow at their ends and are emptied at once, many of them side by side. All take chunks
// from one stock, and the chunk given back last is the first to be taken: what is written next is
// still in the cache, nothing is copied as a list grows, and memory is asked for once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace hapax {

template <class Value>
class Chunks {
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::size_t kValues = std::bit_floor(kBytes / sizeof(Value));
  static_assert(kValues > 0);
  using Chunk = std::array<Value, kValues>;

 public:
  class List {
   public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    Value& operator[](std::size_t i) { return (*chunks_[i / kValues])[i % kValues]; }
    const Value& operator[](std::size_t i) const { return (*chunks_[i / kValues])[i % kValues]; }

   private:
    friend class Chunks;
    std::vector<Chunk*> chunks_;
    std::size_t size_ = 0;
    Value* next_ = nullptr;  // Where the next one goes, unless a new chunk is due.
  };

  // Value{parts...}, made where it stays: a copy of what was just written part by part is what a
  // processor has to wait for.
  template <class... Parts>
  void append(List& list, const Parts&... parts) {
    if (list.size_ % kValues == 0) [[unlikely]] {
      list.chunks_.push_back(take_chunk());
      list.next_ = list.chunks_.back()->data();
    }
    ++list.size_;
    list.next_->~Value();
    ::new (list.next_++) Value{parts...};
  }

  void clear(List& list) {
    free_.insert(free_.end(), list.chunks_.rbegin(), list.chunks_.rend());
    list.chunks_.clear();
    list.size_ = 0;
  }

 private:
  Chunk* take_chunk() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Chunk>());
      return all_.back().get();
    }
    Chunk* chunk = free_.back();
    free_.pop_back();
    return chunk;
  }

  std::vector<std::unique_ptr<Chunk>> all_;
  std::vector<Chunk*> free_;  // Those that no list has.
};

}  // namespace hapax
