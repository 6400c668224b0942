// Whether to stay awake for what one waits for. A thread that sleeps until the kernel wakes it
// hears of an answer some 30 microseconds late when its processor has gone to sleep as well, and
// that is longer than most answers take. One that looks again and again hears of it at once, but
// keeps a processor busy. So it looks for a moment only, lets others have the processor between two
// looks, and whenever a moment was in vain it sleeps through twice as many waits before it tries
// again. What is idle, or waits for people, sleeps.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sched.h>
#include <string_view>

namespace hapax {

class Wakefulness {
 public:
  using Clock = std::chrono::steady_clock;
  using Instant = Clock::time_point;

  static constexpr std::chrono::microseconds kMoment{50};
  static constexpr int kMostSleeps = 64;
  // Who else wants the processor keeps it for longer than it takes to be woken: while that is so,
  // one had better sleep.
  static constexpr std::chrono::microseconds kTooLong{500};
  static constexpr std::chrono::seconds kLeftAlone{1};

  // Whether to stay awake this time; asked once a wait.
  bool tries(Instant now) {
    if (now < not_before_) return false;
    if (sleeps_ == 0) return true;
    --sleeps_;
    return false;
  }
  void came() { next_sleeps_ = 1; }
  // `elsewhere`: for how long, the last time, others had the processor.
  void came_not(Instant now, Clock::duration elsewhere) {
    sleeps_ = next_sleeps_;
    next_sleeps_ = std::min(2 * next_sleeps_, kMostSleeps);
    if (elsewhere > kTooLong) not_before_ = now + kLeftAlone;
  }

  // True: `look()` has found it. False: sleep.
  template <class Look>
  bool finds(Instant end, Look look) {
    if (!is_allowed()) return false;
    const Instant began = Clock::now();
    if (!tries(began)) return false;
    for (Instant now = began;;) {
      if (look()) {
        came();
        return true;
      }
      const Instant before = now;
      sched_yield();
      now = Clock::now();
      if (now - began < kMoment && now < end) continue;
      came_not(now, now - before);
      return false;
    }
  }

 private:
  // For who pays for each microsecond of a processor: HAPAX_AWAKE=no.
  static bool is_allowed() {
    static const bool is_allowed = [] {
      const char* const value = std::getenv("HAPAX_AWAKE");
      return value == nullptr || std::string_view{value} != "no";
    }();
    return is_allowed;
  }

  int sleeps_ = 0;  // So many waits are slept through …
  int next_sleeps_ = 1;
  Instant not_before_{};  // … and all until then.
};

}  // namespace hapax
