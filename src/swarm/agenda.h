// Virtual time: what is to be done, and when. Of equal times the one entered first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "service/lease_times.h"

namespace hapax {

class Agenda {
 public:
  Instant now() const { return now_; }
  void at(Instant when, std::function<void()> what) {
    tasks_.push_back({std::max(when, now_), next_++, std::move(what)});
    std::push_heap(tasks_.begin(), tasks_.end());
  }
  void after(Span delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }

  // Does the next thing, if there is one before `end`.
  bool step(Instant end) {
    if (tasks_.empty() || tasks_.front().when > end) return false;
    std::pop_heap(tasks_.begin(), tasks_.end());
    const Task task = std::move(tasks_.back());
    tasks_.pop_back();
    now_ = task.when;
    task.what();
    return true;
  }

 private:
  struct Task {
    Instant when{};
    std::uint64_t order = 0;
    std::function<void()> what;
    bool operator<(const Task& other) const {
      return when != other.when ? when > other.when : order > other.order;
    }
  };
  Instant now_{};
  std::uint64_t next_ = 0;
  std::vector<Task> tasks_;  // A heap.
};

}  // namespace hapax
