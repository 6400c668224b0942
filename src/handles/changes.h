// Changes of leadership on their way from the thread that hears of them to the one that observes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "hapax/election.h"

namespace hapax::detail {

class Changes {
 public:
  static constexpr std::size_t kMost = 100;  // If nobody looks, the oldest are dropped.

  void push(Election::Change change) {
    const std::lock_guard lock{mutex_};
    if (waiting_.size() == kMost) waiting_.pop_front();
    waiting_.push_back(std::move(change));
    news_.notify_all();
  }
  // There will be no more.
  void close() {
    const std::lock_guard lock{mutex_};
    closed_ = true;
    news_.notify_all();
  }
  std::optional<Election::Change> next(std::chrono::steady_clock::time_point deadline,
                                       const std::stop_token& cancel) {
    std::unique_lock lock{mutex_};
    news_.wait_until(lock, cancel, deadline, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    Election::Change change = std::move(waiting_.front());
    waiting_.pop_front();
    return change;
  }
  bool is_closed() const {
    const std::lock_guard lock{mutex_};
    return closed_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any news_;
  std::deque<Election::Change> waiting_;
  bool closed_ = false;
};

}  // namespace hapax::detail
