// Zeroed memory by the megabyte, in huge pages where the system has them: a search touches its
// memory at random, and with small pages every touch would also miss the table of pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace hapax {

enum class PageSize : std::uint8_t { small, huge };

// Throws std::bad_alloc if there is none left.
void* allocate_pages(std::size_t bytes, PageSize size);
void release_pages(void* memory, std::size_t bytes);

// An array of so many zeros.
template <class T>
class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t size, PageSize pages = PageSize::huge)
      : data_(static_cast<T*>(allocate_pages(size * sizeof(T), pages))), size_(size) {}
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    if (data_ != nullptr) release_pages(data_, size_ * sizeof(T));
  }

  T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hapax
