// Rows of equal width that grow in number without ever being moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/pages.h"

namespace hapax {

template <class T>
class PagedRows {
 public:
  explicit PagedRows(std::uint32_t width) : width_(width) {}

  T* operator[](std::uint32_t row) const {
    return chunks_[row >> kChunkBits].data() + std::size_t{row & kChunkMask} * width_;
  }
  // Room for so many, with zeros in those that were never written.
  void extend(std::size_t rows) {
    while (chunks_.size() << kChunkBits < rows) {
      // A small search would wait longer for the zeros of a huge page than for all else.
      const PageSize size = chunks_.empty() ? PageSize::small : PageSize::huge;
      chunks_.emplace_back(std::size_t{width_} << kChunkBits, size);
      // Of several threads that are the first to touch a huge page, each would zero one.
      chunks_.back()[0] = T{};
    }
  }
  std::size_t bytes() const { return (chunks_.size() * width_ << kChunkBits) * sizeof(T); }

 private:
  static constexpr std::uint32_t kChunkBits = 17;
  static constexpr std::uint32_t kChunkMask = (1u << kChunkBits) - 1;

  std::uint32_t width_;
  std::vector<Pages<T>> chunks_;
};

}  // namespace hapax
