// Where the numbers of a state are in its row: fields of some bits each in 64-bit words, none
// across the border of two.
#pragma once

#include <cstdint>
#include <vector>

#include "base/check.h"

namespace hapax {

class RowLayout {
 public:
  RowLayout() = default;
  explicit RowLayout(const std::vector<std::uint32_t>& bits) {
    std::uint32_t used = 64;
    for (const std::uint32_t width : bits) {
      HAPAX_CHECK(width >= 1);
      HAPAX_CHECK(width <= 32);
      if (used + width > 64) {
        ++words_;
        used = 0;
      }
      fields_.push_back({words_ - 1, used, (std::uint64_t{1} << width) - 1});
      used += width;
    }
  }

  std::uint32_t words() const { return words_; }

  std::uint32_t get(const std::uint64_t* row, std::uint32_t field) const {
    const Field& f = fields_[field];
    return static_cast<std::uint32_t>(row[f.word] >> f.shift & f.mask);
  }
  // One more than the largest number that the field has room for.
  std::uint64_t room(std::uint32_t field) const { return fields_[field].mask + 1; }
  // REQUIRES: there is room for it.
  void set(std::uint64_t* row, std::uint32_t field, std::uint32_t value) const {
    const Field& f = fields_[field];
    row[f.word] = (row[f.word] & ~(f.mask << f.shift)) | std::uint64_t{value} << f.shift;
  }

  // The same for a field that is known to have `before`: cheaper.
  void change(std::uint64_t* row, std::uint32_t field, std::uint32_t before,
              std::uint32_t after) const {
    const Field& f = fields_[field];
    row[f.word] += (std::uint64_t{after} - std::uint64_t{before}) << f.shift;
  }
  // All of them at once.
  void unpack(const std::uint64_t* row, std::uint32_t* values) const {
    for (const Field& f : fields_) {
      *values++ = static_cast<std::uint32_t>(row[f.word] >> f.shift & f.mask);
    }
  }

  // The same numbers in another layout of the same fields.
  void repack(const std::uint64_t* row, const RowLayout& to, std::uint64_t* result) const {
    for (std::uint32_t w = 0; w < to.words_; ++w) result[w] = 0;
    for (std::uint32_t f = 0; f < fields_.size(); ++f) to.set(result, f, get(row, f));
  }

 private:
  struct Field {
    std::uint32_t word;
    std::uint32_t shift;
    std::uint64_t mask;
  };

  std::vector<Field> fields_;
  std::uint32_t words_ = 0;
};

}  // namespace hapax
