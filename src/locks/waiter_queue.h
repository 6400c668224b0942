// Local waiters in a queue per lock, first come, first served. The places of all queues come from
// one pool, so that a queue costs two words while empty and nothing is allocated in the steady
// state.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "locks/outbox.h"

namespace hapax {

struct WaiterQueue {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t first = kNone;
  std::uint32_t last = kNone;  // Meaningful while not empty.

  bool empty() const { return first == kNone; }
};

class WaiterPool {
 public:
  void push(WaiterQueue& queue, WaiterId waiter) {
    const std::uint32_t at = take();
    places_[at] = {waiter, WaiterQueue::kNone};
    if (queue.empty()) {
      queue.first = at;
    } else {
      places_[queue.last].next = at;
    }
    queue.last = at;
  }

  // REQUIRES: !queue.empty().
  WaiterId pop(WaiterQueue& queue) {
    HAPAX_CHECK(!queue.empty());
    const std::uint32_t at = queue.first;
    queue.first = places_[at].next;
    give_back(at);
    return places_[at].waiter;
  }

  // False if it was not there.
  bool remove(WaiterQueue& queue, WaiterId waiter) {
    std::uint32_t before = WaiterQueue::kNone;
    for (std::uint32_t at = queue.first; at != WaiterQueue::kNone;
         before = std::exchange(at, places_[at].next)) {
      if (places_[at].waiter != waiter) continue;
      (before == WaiterQueue::kNone ? queue.first : places_[before].next) = places_[at].next;
      if (queue.last == at) queue.last = before;
      give_back(at);
      return true;
    }
    return false;
  }

  // Calls f(waiter) for each, in order.
  template <class F>
  void for_each(const WaiterQueue& queue, F&& f) const {
    for (std::uint32_t at = queue.first; at != WaiterQueue::kNone; at = places_[at].next) {
      f(places_[at].waiter);
    }
  }

 private:
  struct Place {
    WaiterId waiter{};
    std::uint32_t next = WaiterQueue::kNone;  // In its queue, or in the list of free places.
  };

  std::uint32_t take() {
    if (free_ == WaiterQueue::kNone) {
      places_.emplace_back();
      return static_cast<std::uint32_t>(places_.size() - 1);
    }
    return std::exchange(free_, places_[free_].next);
  }
  void give_back(std::uint32_t at) { places_[at].next = std::exchange(free_, at); }

  std::vector<Place> places_;
  std::uint32_t free_ = WaiterQueue::kNone;
};

}  // namespace hapax
