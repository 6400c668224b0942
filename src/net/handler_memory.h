// Memory for one asynchronous operation that is started again and again: Asio takes its bookkeeping
// from here instead of from the heap, so that reading and writing allocate nothing.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace hapax::net {

// A few blocks, because a layered operation (TLS over TCP) keeps more than one at a time. What does
// not fit comes from the heap.
class HandlerMemory {
 public:
  HandlerMemory() = default;
  HandlerMemory(const HandlerMemory&) = delete;
  HandlerMemory& operator=(const HandlerMemory&) = delete;

  void* allocate(std::size_t size) {
    for (Block& block : blocks_) {
      if (block.used || size > kBlock) continue;
      block.used = true;
      return block.bytes.data();
    }
    return ::operator new(size);
  }
  void release(void* pointer) {
    for (Block& block : blocks_) {
      if (pointer != block.bytes.data()) continue;
      block.used = false;
      return;
    }
    ::operator delete(pointer);
  }

 private:
  static constexpr std::size_t kBlock = 512;
  struct Block {
    alignas(std::max_align_t) std::array<std::byte, kBlock> bytes;
    bool used = false;
  };

  std::array<Block, 2> blocks_;
};

// What Asio asks for: an allocator over it. The memory outlives the operation because the
// operation's handler keeps its owner alive.
template <class T>
class HandlerAllocator {
 public:
  using value_type = T;

  explicit HandlerAllocator(HandlerMemory& memory) : memory_(&memory) {}
  template <class U>
  HandlerAllocator(const HandlerAllocator<U>& other)  // NOLINT(google-explicit-constructor)
      : memory_(other.memory_) {}

  T* allocate(std::size_t count) { return static_cast<T*>(memory_->allocate(count * sizeof(T))); }
  void deallocate(T* pointer, std::size_t) { memory_->release(pointer); }

  friend bool operator==(const HandlerAllocator&, const HandlerAllocator&) = default;

 private:
  template <class>
  friend class HandlerAllocator;

  HandlerMemory* memory_;
};

}  // namespace hapax::net
