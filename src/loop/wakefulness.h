// Whether to stay awake for what one waits for. A thread that sleeps until the kernel wakes it
// hears of an answer some 30 microseconds late when its processor has gone to sleep as well, and
// that is longer than most answers take. One that looks again and again hears of it at once, but
// keeps a processor busy. So it looks for a moment only, lets others have the processor between two
// looks, and whenever a moment was in vain it sleeps through twice as many waits before it tries
// again. Why so: docs/decisions/0023-awake-for-a-moment.md.
#pragma once

#include <algorithm>
#include <chrono>
#include <sched.h>

namespace hapax {

class Wakefulness {
 public:
  using Clock = std::chrono::steady_clock;
  using Instant = Clock::time_point;

  static constexpr std::chrono::microseconds kMoment{50};
  static constexpr int kFirstSleeps = 8;  // Those who ask for little have nothing to gain.
  static constexpr int kMostSleeps = 64;
  // When others want the processor and keep it for longer than this, it takes longer to get it back
  // than to be woken: then one sleeps through all waits for a while, each time for twice as long.
  static constexpr std::chrono::microseconds kTooLong{500};
  static constexpr std::chrono::milliseconds kFirstPause{20};
  static constexpr std::chrono::seconds kLongestPause{80};
  // Some seven hundred successes halve it again.
  static constexpr int kForgotten = 1024;

  // HAPAX_AWAKE=no in the environment, asked for once: for those who pay for each microsecond of a
  // processor.
  Wakefulness();

  // True: `look()` has found it. False: sleep.
  template <class Look>
  bool finds(Instant end, Look look) {
    if (!may_be_awake()) return false;
    const Instant began = Clock::now();
    // Nothing may make it late for its deadline.
    if (end < began + kMoment || !is_next_awake(began)) return false;
    if (look()) return true;  // It was there, so nothing has been learnt.
    for (Instant before = began;;) {
      sched_yield();
      const Instant now = Clock::now();
      const bool has_come = look();
      if (now - before > kTooLong) {
        was_kept_waiting(now);
      } else if (has_come) {
        came();
      } else if (now - began < kMoment) {
        before = now;
        continue;
      } else {
        came_not();
      }
      return has_come;
    }
  }

  // --- what is learnt from one wait to the next ---

  // Whether to stay awake in the next wait.
  bool is_next_awake(Instant now) {
    if (now < not_before_) return false;
    if (sleeps_ == 0) return true;
    --sleeps_;
    return false;
  }
  void came() {
    next_sleeps_ = 1;
    next_pause_ = std::max<Clock::duration>(kFirstPause, next_pause_ - next_pause_ / kForgotten);
  }
  void came_not() {
    sleeps_ = next_sleeps_;
    next_sleeps_ = std::min(2 * next_sleeps_, kMostSleeps);
  }
  void was_kept_waiting(Instant now) {
    not_before_ = now + next_pause_;
    next_pause_ = std::min<Clock::duration>(2 * next_pause_, kLongestPause);
  }

 private:
  bool may_be_awake() const;

  const bool is_allowed_;
  int sleeps_ = kFirstSleeps;  // So many waits are slept through …
  int next_sleeps_ = 1;
  Instant not_before_{};  // … and all until then.
  Clock::duration next_pause_ = kFirstPause;
};

}  // namespace hapax
