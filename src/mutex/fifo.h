// First come, first served: a vector that is also cheap to pop at the front. What was popped stays
// as a gap until it is half of the vector, so each item of a queue of a million moves about once.
//
// A record of one field, the items from first to last: the gap is nobody else's business, so equal
// queues are equal and encode alike, whatever their past.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace hapax {

template <class T>
class Fifo {
 public:
  bool empty() const { return first_ == items_.size(); }
  std::size_t size() const { return items_.size() - first_; }
  auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() const { return items_.end(); }

  // REQUIRES: !empty().
  const T& front() const {
    HAPAX_CHECK(!empty());
    return items_[first_];
  }
  void push(T item) { items_.push_back(item); }
  // REQUIRES: !empty().
  T pop() {
    const T item = front();
    ++first_;
    if (2 * first_ >= items_.size()) close_gap();
    return item;
  }

  friend bool operator==(const Fifo& a, const Fifo& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

  // What HAPAX_RECORD would write, were it not for the gap: a reader sees the items without it, and
  // a writer finds it closed.
  static constexpr std::string_view kRecordName = "Fifo";
  static constexpr std::string_view kFieldNames = "items";
  template <class Use>
  static decltype(auto) with_fields_of(const Fifo& fifo, Use&& use) {
    const std::vector<T> items(fifo.begin(), fifo.end());
    return use(items);
  }
  template <class Use>
  static decltype(auto) with_fields_of(Fifo& fifo, Use&& use) {
    fifo.close_gap();
    return use(fifo.items_);
  }

 private:
  void close_gap() {
    items_.erase(items_.begin(), begin());
    first_ = 0;
  }

  std::vector<T> items_;
  std::size_t first_ = 0;  // Where the queue begins. Invariant: less than half of items_, or 0.
};

}  // namespace hapax
