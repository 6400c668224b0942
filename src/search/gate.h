// All of a team wait here for the last. A search has hundreds of rounds of a millisecond, and to
// put a thread to sleep and wake it takes a tenth of one: so whoever waits looks again for a while,
// and lets others have the processor meanwhile.
#pragma once

#include <atomic>
#include <thread>

namespace hapax {

class Gate {
 public:
  explicit Gate(unsigned size) : size_(size), missing_(size) {}

  void arrive_and_wait() {
    const unsigned round = round_.load(std::memory_order_relaxed);
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      missing_.store(size_, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int i = 0; i < kLooks; ++i) {
      if (round_.load(std::memory_order_acquire) != round) return;
      std::this_thread::yield();
    }
    round_.wait(round, std::memory_order_acquire);
  }

 private:
  static constexpr int kLooks = 200;

  unsigned size_;
  std::atomic<unsigned> missing_;
  std::atomic<unsigned> round_{0};
};

}  // namespace hapax
