// Sorts events whose times differ in their lowest bits only, keeping those of equal time in order:
// a byte of the time after the other, from the lowest, since where the next event of a random time
// belongs is nothing that a processor could predict; a few of them by insertion.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/duration.h"

namespace hapax {

// Inserts each where it belongs among those before it.
template <class Event>
void insert_by_time(std::vector<Event>& events) {
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (events[i - 1].at <= events[i].at) continue;
    Event event = std::move(events[i]);
    std::size_t to = i;
    for (; to > 0 && event.at < events[to - 1].at; --to) events[to] = std::move(events[to - 1]);
    events[to] = std::move(event);
  }
}

// `bits`: how many of a time may differ. `scratch` is memory, to be used again.
template <class Event>
void sort_by_time(std::vector<Event>& events, std::vector<Event>& scratch, unsigned bits) {
  constexpr std::size_t kFew = 32;
  constexpr unsigned kDigit = 8;
  const auto by_time = [](const Event& a, const Event& b) { return a.at < b.at; };
  if (events.size() <= kFew) return insert_by_time(events);
  if (std::is_sorted(events.begin(), events.end(), by_time)) return;
  scratch.resize(events.size());
  for (unsigned shift = 0; shift < bits; shift += kDigit) {
    const auto digit = [&](const Event& event) {
      return static_cast<std::uint8_t>(static_cast<std::uint64_t>(event.at) >> shift);
    };
    std::array<std::uint32_t, std::size_t{1} << kDigit> ends{};
    for (const Event& event : events) ++ends[digit(event)];
    std::uint32_t before = 0;
    for (std::uint32_t& end : ends) before += std::exchange(end, before);
    for (Event& event : events) scratch[ends[digit(event)]++] = std::move(event);
    events.swap(scratch);
  }
}

}  // namespace hapax
