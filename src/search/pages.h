// Zeroed memory by the megabyte, in huge pages where the system has them: a search touches its
// memory at random, and with small pages every touch would also miss the table of pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace hapax {

class Pages {
 public:
  Pages() = default;
  // Throws std::bad_alloc if there is none left.
  explicit Pages(std::size_t words)
      : data_(allocate(words * sizeof(std::uint64_t))), bytes_(words * sizeof(std::uint64_t)) {}
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    if (data_ != nullptr) release(data_, bytes_);
  }

  std::uint64_t* data() const { return data_; }
  std::uint64_t& operator[](std::size_t i) { return data_[i]; }
  std::uint64_t operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return bytes_ / sizeof(std::uint64_t); }

 private:
  static std::uint64_t* allocate(std::size_t bytes);
  static void release(std::uint64_t* data, std::size_t bytes);

  std::uint64_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace hapax
