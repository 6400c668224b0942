// How often something took how long, in plain integers: counting costs a few comparisons and no
// memory. Whoever shows it asks for the buckets.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hapax {

class Histogram {
 public:
  using Span = std::chrono::nanoseconds;
  static constexpr std::size_t kMostBounds = 15;

  // REQUIRES: bounds grow, are at most kMostBounds, and outlive it.
  explicit constexpr Histogram(std::span<const Span> bounds) : bounds_(bounds) {}

  void note(Span took) {
    std::size_t bucket = 0;
    while (bucket < bounds_.size() && took > bounds_[bucket]) ++bucket;
    ++counts_[bucket];
    sum_ += took;
  }

  std::span<const Span> bounds() const { return bounds_; }
  // Of each bucket what is in it and in no other, the last being that of all that took longer.
  std::span<const std::uint64_t> counts() const {
    return std::span{counts_}.first(bounds_.size() + 1);
  }
  std::uint64_t count() const {
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts_) all += count;
    return all;
  }
  Span sum() const { return sum_; }

 private:
  std::span<const Span> bounds_;
  std::array<std::uint64_t, kMostBounds + 1> counts_{};
  Span sum_{};
};

namespace bounds {

using namespace std::chrono_literals;

// Of what a member does for itself: commits, changes of the view, being late.
inline constexpr std::array<Histogram::Span, 15> kUpkeep{
    1ms, 2500us, 5ms, 10ms, 25ms, 50ms, 100ms, 250ms, 500ms, 1s, 2500ms, 5s, 10s, 30s, 60s};
// Of what its clients do: how long they wait and hold.
inline constexpr std::array<Histogram::Span, 14> kClients{
    100us, 500us, 1ms, 5ms, 10ms, 50ms, 100ms, 500ms, 1s, 5s, 10s, 1min, 10min, 1h};

}  // namespace bounds

}  // namespace hapax
