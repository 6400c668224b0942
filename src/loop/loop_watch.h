// Runs a loop and notes how long it was busy at one go. Beats, signs of life and grants all wait
// for what a handler does: nothing that clients ask for may take longer than kLongest.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <string>
#include <utility>

#include "loop/loop.h"

namespace hapax {

class LoopWatch {
 public:
  using Span = std::chrono::nanoseconds;
  using Instant = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kLongest{50};
  // What a processor was used for costs a system call to know; so what follows one another this
  // closely is taken for one turn.
  static constexpr std::chrono::milliseconds kGrain{1};
  static constexpr std::chrono::seconds kSayEvery{10};

  // `say` is told, every now and then, of a turn that took longer than kLongest.
  explicit LoopWatch(std::function<void(Span)> say) : say_(std::move(say)) {}

  // Until it is out of work.
  void run(Loop& io) {
    Span before = busy();
    for (Instant looked{}; io.run_one() > 0;) {
      const Instant now = std::chrono::steady_clock::now();
      if (now - looked < kGrain) continue;
      looked = now;
      const Span used = busy();
      note(used - std::exchange(before, used), now);
    }
  }
  void note(Span turn, Instant now = std::chrono::steady_clock::now()) {
    longest_ = std::max(longest_, turn);
    if (turn < kLongest || now < silent_until_) return;
    silent_until_ = now + kSayEvery;
    say_(turn);
  }
  Span longest() const { return longest_; }  // So far.

 private:
  // What this thread has used of a processor: waiting for events is no harm, and if others keep the
  // processor busy, that is not the loop's doing.
  static Span busy() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
  }

  std::function<void(Span)> say_;
  Span longest_{};
  Instant silent_until_{};
};

}  // namespace hapax
