// The future of a simulation: events by virtual time, events of equal time in the order of pushing.
//
// A wheel of slots, each a stretch of time, so wide that the ends of those to which events are
// appended stay in the cache. A slot is put in order (time_order.h) only when its time has come,
// and with constant latencies it already is; events stay where they were written, what is put in
// order are their numbers. What lies beyond the wheel waits in a heap, and so does what is pushed
// into the slot that is being read. It is the queue, not the algorithms, that a simulation spends
// its time on.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/duration.h"
#include "sim/chunks.h"
#include "sim/time_order.h"

namespace hapax {

// Event has a member `Nanos at`.
template <class Event>
class EventQueue {
 public:
  // `typical` is a usual distance from now at which events are pushed; it sets the width of a slot.
  explicit EventQueue(Nanos typical) {
    while (shift_ < kMostShift && (Nanos{1} << shift_) * kSlotsPerTypical < typical) ++shift_;
    slots_.resize(kSlots);
  }

  // Event{at, rest...}. REQUIRES: `at` is not before that of the last event taken.
  template <class... Rest>
  void push(Nanos at, const Rest&... rest) {
    ++size_;
    // A multicast, or many replies at one moment: the same time again and again.
    if (at == last_at_) [[likely]] {
      chunks_.append(last_slot_->events, at, rest...);
      return;
    }
    push_elsewhere(at, rest...);
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // Takes the earliest event. False if there is none.
  bool take(Event& event) {
    if (!soon_.empty()) [[unlikely]]
      return take_soon(event);
    if (head_ == now_.size() && !advance()) return false;
    if (head_ + kPrefetchAhead < now_.size()) {
      __builtin_prefetch(&now_[place(head_ + kPrefetchAhead)]);
    }
    event = std::move(now_[place(head_++)]);
    --size_;
    return true;
  }

  // The event `ahead` places after the one to be taken next if it is already at hand, else null.
  // For prefetching what it will touch.
  const Event* peek(std::size_t ahead) const {
    return head_ + ahead < now_.size() ? &now_[place(head_ + ahead)] : nullptr;
  }

 private:
  static constexpr std::uint64_t kSlots = 1024;
  static constexpr Nanos kSlotsPerTypical = 16;
  static constexpr std::size_t kPrefetchAhead = 24;
  static constexpr unsigned kMostShift = 32;  // What TimeOrder can tell apart.

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  using List = typename Chunks<Event>::List;
  struct Slot {
    List events;
    Nanos latest = 0;
    bool in_order = true;
  };
  struct Apart {
    Event event;
    std::uint64_t order;
  };
  struct LaterFirst {
    bool operator()(const Apart& a, const Apart& b) const {
      return std::pair{a.event.at, a.order} > std::pair{b.event.at, b.order};
    }
  };
  using Heap = std::priority_queue<Apart, std::vector<Apart>, LaterFirst>;

  // From 1: before the first event is taken no slot is being read.
  std::uint64_t slot_of(Nanos at) const { return (static_cast<std::uint64_t>(at) >> shift_) + 1; }
  std::size_t place(std::size_t i) const { return order_.empty() ? i : order_[i]; }

  template <class... Rest>
  void push_elsewhere(Nanos at, const Rest&... rest);
  bool take_soon(Event& event);

  // Makes the next slot that has events the current one.
  bool advance();

  std::uint64_t next_occupied() const;

  // Where the last event appended to a slot went.
  Nanos last_at_ = kNever;
  Slot* last_slot_ = nullptr;

  unsigned shift_ = 0;        // A slot is 2^shift_ nanoseconds.
  std::uint64_t cursor_ = 0;  // The slot that is being read.
  List now_;                  // Its events, as they were pushed …
  TimeOrder order_;           // … and in which order they come; empty: in that one.
  std::size_t head_ = 0;      // So many have been taken.
  std::size_t size_ = 0;
  Chunks<Event> chunks_;
  std::vector<Slot> slots_;
  std::array<std::uint64_t, kSlots / 64> occupied_{};
  Heap soon_;  // Pushed into the slot that was being read.
  Heap far_;   // Beyond the wheel.
  std::uint64_t apart_count_ = 0;
};

template <class Event>
template <class... Rest>
inline void EventQueue<Event>::push_elsewhere(Nanos at, const Rest&... rest) {
  const std::uint64_t number = slot_of(at);
  HAPAX_CHECK(number >= cursor_);
  if (number == cursor_) [[unlikely]] {
    soon_.push({Event{at, rest...}, apart_count_++});
  } else if (number - cursor_ < kSlots) [[likely]] {
    Slot& slot = slots_[number % kSlots];
    if (slot.events.empty()) {
      slot.latest = at;
      slot.in_order = true;
      occupied_[number % kSlots / 64] |= std::uint64_t{1} << (number % 64);
    }
    slot.in_order = slot.in_order & (at >= slot.latest);
    slot.latest = at;
    last_at_ = at;
    last_slot_ = &slot;
    chunks_.append(slot.events, at, rest...);
  } else {
    far_.push({Event{at, rest...}, apart_count_++});
  }
}

// Of equal times, those that were there before come first.
template <class Event>
inline bool EventQueue<Event>::take_soon(Event& event) {
  if (head_ < now_.size() && now_[place(head_)].at <= soon_.top().event.at) {
    event = std::move(now_[place(head_++)]);
  } else {
    event = soon_.top().event;
    soon_.pop();
  }
  --size_;
  return true;
}

template <class Event>
inline bool EventQueue<Event>::advance() {
  if (size_ == 0) return false;
  const std::uint64_t near = next_occupied();
  const std::uint64_t far = far_.empty() ? kNone : slot_of(far_.top().event.at);
  cursor_ = std::min(near, far);
  last_at_ = kNever;
  chunks_.clear(now_);
  head_ = 0;
  bool in_order = true;
  if (near == cursor_) {
    Slot& slot = slots_[cursor_ % kSlots];
    std::swap(now_, slot.events);
    in_order = slot.in_order;
    occupied_[cursor_ % kSlots / 64] &= ~(std::uint64_t{1} << (cursor_ % 64));
  }
  // Events of the heap were pushed before their slot came into reach, hence before all that is in
  // it.
  if (far == cursor_) {
    List later = std::exchange(now_, {});
    while (!far_.empty() && slot_of(far_.top().event.at) == cursor_) {
      chunks_.append(now_, far_.top().event);
      far_.pop();
    }
    in_order = in_order && later.empty();
    for (std::size_t i = 0; i < later.size(); ++i) chunks_.append(now_, later[i]);
    chunks_.clear(later);
  }
  order_.clear();
  if (!in_order) order_.sort(now_, shift_);
  return true;
}

template <class Event>
inline std::uint64_t EventQueue<Event>::next_occupied() const {
  // Slots within reach are cursor_+1 … cursor_+kSlots-1; the wheel wraps at most once.
  for (std::uint64_t number = cursor_ + 1; number < cursor_ + kSlots;) {
    const std::uint64_t word = occupied_[number % kSlots / 64] >> (number % 64);
    if (word != 0) return number + static_cast<std::uint64_t>(std::countr_zero(word));
    number += 64 - number % 64;
  }
  return kNone;
}

}  // namespace hapax
