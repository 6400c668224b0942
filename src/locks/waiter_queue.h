// Local waiters in a queue per lock, first come, first served. The places of all queues come from
// one pool, so that a queue costs two words while empty and nothing is allocated in the steady
// state. Wherever in its queue a waiter is, it is found and leaves in constant time: one client may
// wait a hundred thousand times, and hang up.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
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

// `lock` is the number of the queue among those of the pool.
class WaiterPool {
 public:
  // REQUIRES: it is not there.
  void push(WaiterQueue& queue, std::uint32_t lock, WaiterId waiter) {
    const std::uint32_t at = take();
    const bool is_new = index_.try_emplace(Key{waiter, lock}, at).second;
    HAPAX_CHECK(is_new);
    places_[at] = {waiter, WaiterQueue::kNone, queue.empty() ? WaiterQueue::kNone : queue.last};
    if (queue.empty()) {
      queue.first = at;
    } else {
      places_[queue.last].next = at;
    }
    queue.last = at;
  }

  bool contains(std::uint32_t lock, WaiterId waiter) const {
    return index_.contains(Key{waiter, lock});
  }

  // REQUIRES: !queue.empty().
  WaiterId pop(WaiterQueue& queue, std::uint32_t lock) {
    HAPAX_CHECK(!queue.empty());
    const WaiterId waiter = places_[queue.first].waiter;
    remove(queue, lock, waiter);
    return waiter;
  }

  // False if it was not there.
  bool remove(WaiterQueue& queue, std::uint32_t lock, WaiterId waiter) {
    const auto found = index_.find(Key{waiter, lock});
    if (found == index_.end()) return false;
    const std::uint32_t at = found->second;
    const auto [_, next, before] = places_[at];
    (before == WaiterQueue::kNone ? queue.first : places_[before].next) = next;
    (next == WaiterQueue::kNone ? queue.last : places_[next].before) = before;
    index_.erase(found);
    give_back(at);
    return true;
  }

  // How many there are; no more than `most` are counted.
  std::uint8_t count(const WaiterQueue& queue, std::uint8_t most) const {
    std::uint8_t counted = 0;
    for (std::uint32_t at = queue.first; at != WaiterQueue::kNone && counted < most; ++counted) {
      at = places_[at].next;
    }
    return counted;
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
    std::uint32_t before = WaiterQueue::kNone;
  };
  struct Key {
    WaiterId waiter{};
    std::uint32_t lock = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (number(key.waiter) ^ std::uint64_t{key.lock} << 40) * 0x9e3779b97f4a7c15;
    }
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
  boost::unordered_flat_map<Key, std::uint32_t, Hash> index_;  // Where each is, in places_.
};

}  // namespace hapax
