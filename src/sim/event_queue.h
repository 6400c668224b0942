// The future of a simulation: events by virtual time, events of equal time in the order of pushing.
//
// A wheel of slots, each a stretch of time. Pushing appends to a slot and reads no event there, so
// that it need not wait for memory; a slot is sorted (sort_by_time.h) only when its time has come,
// and with constant latencies it already is. What lies beyond the wheel waits in a heap. Slots
// borrow their memory from a stack of buffers, so that the one written next is the one read last
// and still in the cache: it is the queue, not the algorithms, that a simulation spends its time
// on.
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
#include "sim/sort_by_time.h"

namespace hapax {

// Event has a member `Nanos at`.
template <class Event>
class EventQueue {
 public:
  // `typical` is a usual distance from now at which events are pushed; it sets the width of a slot.
  explicit EventQueue(Nanos typical) {
    while ((Nanos{1} << shift_) * kSlotsPerTypical < typical) ++shift_;
    slots_.resize(kSlots);
  }

  // Event{at, rest...}, made where it stays: a copy of what was just written part by part is what a
  // processor has to wait for. REQUIRES: `at` is not before that of the last event taken.
  template <class... Rest>
  void push(Nanos at, const Rest&... rest) {
    ++size_;
    // A multicast, or many replies at one moment: the same time again and again.
    if (at == last_at_) [[likely]] {
      last_slot_->push_back(Event{at, rest...});
      return;
    }
    push_elsewhere(at, rest...);
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // Takes the earliest event. False if there is none.
  bool take(Event& event) {
    if (head_ == now_.size() && !advance()) return false;
    event = std::move(now_[head_++]);
    --size_;
    return true;
  }

  // The event `ahead` places after the one to be taken next if it is already at hand, else null.
  // For prefetching what it will touch.
  const Event* peek(std::size_t ahead) const {
    return head_ + ahead < now_.size() ? &now_[head_ + ahead] : nullptr;
  }

 private:
  static constexpr std::uint64_t kSlots = 8192;
  static constexpr Nanos kSlotsPerTypical = 512;

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  struct Far {
    Event event;
    std::uint64_t order;
  };
  struct LaterFirst {
    bool operator()(const Far& a, const Far& b) const {
      return std::pair{a.event.at, a.order} > std::pair{b.event.at, b.order};
    }
  };

  std::uint64_t slot_of(Nanos at) const { return static_cast<std::uint64_t>(at) >> shift_; }

  template <class... Rest>
  void push_elsewhere(Nanos at, const Rest&... rest);

  // Into the slot that is being read: behind everything that is no later.
  void insert_now(Event&& event);

  // Makes the next slot that has events the current one.
  bool advance();

  std::uint64_t next_occupied() const;

  // Where the last event appended to a slot went.
  Nanos last_at_ = kNever;
  std::vector<Event>* last_slot_ = nullptr;

  unsigned shift_ = 0;        // A slot is 2^shift_ nanoseconds.
  std::uint64_t cursor_ = 0;  // The slot that is being read.
  std::vector<Event> now_;  // Its events, in order. Invariant: those before head_ have been taken.
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::vector<std::vector<Event>> slots_;
  std::array<std::uint64_t, kSlots / 64> occupied_{};
  std::vector<std::vector<Event>> free_;  // Buffers that no slot has.
  std::vector<Event> scratch_;            // To sort with.
  std::priority_queue<Far, std::vector<Far>, LaterFirst> far_;
  std::uint64_t far_count_ = 0;
};

template <class Event>
template <class... Rest>
inline void EventQueue<Event>::push_elsewhere(Nanos at, const Rest&... rest) {
  const std::uint64_t number = slot_of(at);
  HAPAX_CHECK(number >= cursor_);
  if (number == cursor_) [[unlikely]] {
    insert_now(Event{at, rest...});
  } else if (number - cursor_ < kSlots) [[likely]] {
    std::vector<Event>& slot = slots_[number % kSlots];
    if (slot.empty()) {
      if (!free_.empty()) {
        slot = std::move(free_.back());
        free_.pop_back();
      }
      occupied_[number % kSlots / 64] |= std::uint64_t{1} << (number % 64);
    }
    last_at_ = at;
    last_slot_ = &slot;
    slot.push_back(Event{at, rest...});
  } else {
    far_.push({Event{at, rest...}, far_count_++});
  }
}

template <class Event>
inline void EventQueue<Event>::insert_now(Event&& event) {
  if (head_ == now_.size()) {
    now_.clear();
    head_ = 0;
  }
  const auto at = std::upper_bound(now_.begin() + static_cast<std::ptrdiff_t>(head_), now_.end(),
                                   event.at, [](Nanos t, const Event& e) { return t < e.at; });
  now_.insert(at, std::move(event));
}

template <class Event>
inline bool EventQueue<Event>::advance() {
  if (size_ == 0) return false;
  const std::uint64_t near = next_occupied();
  const std::uint64_t far = far_.empty() ? kNone : slot_of(far_.top().event.at);
  cursor_ = std::min(near, far);
  last_at_ = kNever;
  now_.clear();
  head_ = 0;
  if (near == cursor_) {
    free_.push_back(std::move(now_));
    now_ = std::exchange(slots_[cursor_ % kSlots], {});
    occupied_[cursor_ % kSlots / 64] &= ~(std::uint64_t{1} << (cursor_ % 64));
  }
  // Events of the heap were pushed before their slot came into reach, hence before all that is in
  // it.
  if (far == cursor_) {
    std::vector<Event> early;
    while (!far_.empty() && slot_of(far_.top().event.at) == cursor_) {
      early.push_back(far_.top().event);
      far_.pop();
    }
    now_.insert(now_.begin(), early.begin(), early.end());
  }
  sort_by_time(now_, scratch_, shift_);
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
