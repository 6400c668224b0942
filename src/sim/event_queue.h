// The future of a simulation: events by virtual time, events of equal time in the order of pushing.
//
// A wheel of slots, each a stretch of time. Pushing appends to a slot; a slot is sorted only when
// its time has come, and with constant latencies it already is. What lies beyond the wheel waits in
// a heap. Slots borrow their memory from a stack of buffers, so that the one written next is the
// one read last and still in the cache: it is the queue, not the algorithms, that a simulation
// spends its time on.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <queue>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/duration.h"

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

  // REQUIRES: event.at is not before the last event taken.
  void push(Event event) {
    ++size_;
    // A multicast, or many replies at one moment: the same time again and again.
    if (event.at == last_at_) [[likely]] {
      last_buffer_->push_back(std::move(event));
      return;
    }
    push_elsewhere(std::move(event));
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
  static constexpr std::uint32_t kNoBuffer = ~std::uint32_t{0};

  struct Slot {
    std::uint32_t buffer = kNoBuffer;  // Invariant: kNoBuffer exactly when the slot is empty.
    bool sorted = true;
  };
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

  void push_elsewhere(Event&& event);

  void append(std::uint64_t number, Event&& event);

  // Into the slot that is being read: behind everything that is no later.
  void insert_now(Event&& event);

  // Makes the next slot that has events the current one.
  bool advance();

  void give_back_now();

  std::uint64_t next_occupied() const;

  std::uint32_t borrow();

  // Where the last event appended to a slot went.
  Nanos last_at_ = kNever;
  std::vector<Event>* last_buffer_ = nullptr;

  unsigned shift_ = 0;        // A slot is 2^shift_ nanoseconds.
  std::uint64_t cursor_ = 0;  // The slot that is being read.
  std::vector<Event> now_;  // Its events, in order. Invariant: those before head_ have been taken.
  std::size_t head_ = 0;
  std::uint32_t now_buffer_ = kNoBuffer;
  std::size_t size_ = 0;
  std::vector<Slot> slots_;
  std::array<std::uint64_t, kSlots / 64> occupied_{};
  std::deque<std::vector<Event>> buffers_;  // A deque, because last_buffer_ points into it.
  std::vector<std::uint32_t> free_;
  std::priority_queue<Far, std::vector<Far>, LaterFirst> far_;
  std::uint64_t far_count_ = 0;
};

template <class Event>
inline void EventQueue<Event>::push_elsewhere(Event&& event) {
  const std::uint64_t slot = slot_of(event.at);
  HAPAX_CHECK(slot >= cursor_);
  if (slot == cursor_) [[unlikely]] {
    insert_now(std::move(event));
  } else if (slot - cursor_ < kSlots) [[likely]] {
    append(slot, std::move(event));
  } else {
    far_.push({std::move(event), far_count_++});
  }
}

template <class Event>
inline void EventQueue<Event>::append(std::uint64_t number, Event&& event) {
  Slot& slot = slots_[number % kSlots];
  if (slot.buffer == kNoBuffer) {
    slot.buffer = borrow();
    slot.sorted = true;
    occupied_[number % kSlots / 64] |= std::uint64_t{1} << (number % 64);
  } else if (event.at < buffers_[slot.buffer].back().at) {
    slot.sorted = false;
  }
  last_at_ = event.at;
  last_buffer_ = &buffers_[slot.buffer];
  last_buffer_->push_back(std::move(event));
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
  const std::uint64_t far = far_.empty() ? ~std::uint64_t{0} : slot_of(far_.top().event.at);
  cursor_ = std::min(near, far);
  last_at_ = kNever;
  give_back_now();
  // Events of the heap were pushed before their slot came into reach, hence before all that is in
  // it.
  std::vector<Event> early;
  while (!far_.empty() && slot_of(far_.top().event.at) == cursor_) {
    early.push_back(far_.top().event);
    far_.pop();
  }
  Slot& slot = slots_[cursor_ % kSlots];
  bool sorted = true;
  if (slot.buffer != kNoBuffer && near == cursor_) {
    sorted = slot.sorted;
    now_buffer_ = std::exchange(slot.buffer, kNoBuffer);
    occupied_[cursor_ % kSlots / 64] &= ~(std::uint64_t{1} << (cursor_ % 64));
    now_.swap(buffers_[now_buffer_]);
  }
  if (!early.empty()) {
    now_.insert(now_.begin(), early.begin(), early.end());
    sorted = false;
  }
  if (!sorted) {
    std::stable_sort(now_.begin(), now_.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
  }
  return true;
}

template <class Event>
inline void EventQueue<Event>::give_back_now() {
  now_.clear();
  head_ = 0;
  if (now_buffer_ == kNoBuffer) return;
  now_.swap(buffers_[now_buffer_]);
  free_.push_back(std::exchange(now_buffer_, kNoBuffer));
}

template <class Event>
inline std::uint64_t EventQueue<Event>::next_occupied() const {
  // Slots within reach are cursor_+1 … cursor_+kSlots-1; the wheel wraps at most once.
  for (std::uint64_t number = cursor_ + 1; number < cursor_ + kSlots;) {
    const std::uint64_t word = occupied_[number % kSlots / 64] >> (number % 64);
    if (word != 0) return number + static_cast<std::uint64_t>(std::countr_zero(word));
    number += 64 - number % 64;
  }
  return ~std::uint64_t{0};
}

template <class Event>
inline std::uint32_t EventQueue<Event>::borrow() {
  if (free_.empty()) {
    buffers_.emplace_back();
    return static_cast<std::uint32_t>(buffers_.size() - 1);
  }
  const std::uint32_t buffer = free_.back();
  free_.pop_back();
  return buffer;
}

}  // namespace hapax
