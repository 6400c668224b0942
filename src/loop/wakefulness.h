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
  // than to be woken. For some times as long one sleeps through all waits, so that little time is
  // lost that way.
  static constexpr std::chrono::microseconds kTooLong{500};
  static constexpr int kPause = 20;

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
        was_kept_waiting(now, now - before);
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
  void came() { next_sleeps_ = 1; }
  void came_not() {
    sleeps_ = next_sleeps_;
    next_sleeps_ = std::min(2 * next_sleeps_, kMostSleeps);
  }
  void was_kept_waiting(Instant now, Clock::duration delay) { not_before_ = now + kPause * delay; }

 private:
  bool may_be_awake() const;

  const bool is_allowed_;
  int sleeps_ = kFirstSleeps;  // So many waits are slept through …
  int next_sleeps_ = 1;
  Instant not_before_{};  // … and all until then.
};

}  // namespace hapax
