// The order of events whose times differ in their lowest bits only, those of equal time as they
// were: the numbers of the events, in order. Random times are spread evenly over as many buckets as
// there are events, by their highest bits, so that hardly anything is left to be sorted: where the
// next of them belongs is nothing that a processor could predict.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"

namespace hapax {

class TimeOrder {
 public:
  bool empty() const { return keys_.empty(); }
  void clear() { keys_.clear(); }
  // The number of the i-th in order.
  std::size_t operator[](std::size_t i) const { return static_cast<std::uint32_t>(keys_[i]); }

  // `bits`: how many of a time may differ, 32 at most.
  template <class Events>
  void sort(const Events& events, unsigned bits);

 private:
  static constexpr std::size_t kClump = 16;  // So many in one bucket are left to std::sort.

  void sort_clumps();

  std::vector<std::uint64_t> keys_;  // The time's lowest bits, then the number: all different.
  std::vector<std::uint32_t> ends_;  // Of buckets.
};

template <class Events>
inline void TimeOrder::sort(const Events& events, unsigned bits) {
  const auto count = events.size();
  // As many buckets as events, or fewer than twice as many.
  const unsigned digits = std::min(bits, static_cast<unsigned>(std::bit_width(count)));
  const std::uint64_t low_bits = (std::uint64_t{1} << bits) - 1;
  const auto low = [&](const auto& event) {
    return static_cast<std::uint64_t>(event.at) & low_bits;
  };
  ends_.assign(std::size_t{1} << digits, 0);
  for (std::size_t i = 0; i < count; ++i) ++ends_[low(events[i]) >> (bits - digits)];
  std::uint32_t before = 0;
  for (std::uint32_t& end : ends_) before += std::exchange(end, before);
  keys_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t time = low(events[i]);
    keys_[ends_[time >> (bits - digits)]++] = time << 32 | i;
  }
  sort_clumps();
}

inline void TimeOrder::sort_clumps() {
  std::size_t begin = 0;
  for (const std::uint32_t end : ends_) {
    if (end - begin > kClump) {
      std::sort(keys_.begin() + static_cast<std::ptrdiff_t>(begin), keys_.begin() + end);
    }
    begin = end;
  }
  for (std::size_t i = 1; i < keys_.size(); ++i) {
    const std::uint64_t key = keys_[i];
    std::size_t to = i;
    for (; to > 0 && key < keys_[to - 1]; --to) keys_[to] = keys_[to - 1];
    keys_[to] = key;
  }
}

}  // namespace hapax
