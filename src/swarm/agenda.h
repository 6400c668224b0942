// Virtual time: what is to be done, and when. Of equal times the one entered first.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "service/lease_times.h"

namespace hapax {

class Agenda {
 public:
  Instant now() const { return now_; }
  void at(Instant when, std::function<void()> what) {
    tasks_.push({std::max(when, now_), next_++, std::move(what)});
  }
  void after(Span delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }

  // Does the next thing, if there is one before `end`.
  bool step(Instant end) {
    if (tasks_.empty() || tasks_.top().when > end) return false;
    const std::function<void()> what = tasks_.top().what;
    now_ = tasks_.top().when;
    tasks_.pop();
    what();
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
  std::priority_queue<Task> tasks_;
};

}  // namespace hapax
