// Waits for a moment on a loop.
#pragma once

#include <boost/system/error_code.hpp>
#include <vector>

#include "loop/loop.h"

namespace hapax {

class Timer {
 public:
  using Handler = Once<const boost::system::error_code&>;

  explicit Timer(Loop& loop) : loop_(loop) {}
  Timer(Loop& loop, Loop::Clock::duration after) : loop_(loop) { expires_after(after); }
  ~Timer() { cancel(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Whoever waits hears that it was cancelled.
  void expires_at(Loop::Instant moment) {
    cancel();
    expiry_ = moment;
  }
  void expires_after(Loop::Clock::duration time) { expires_at(Loop::Clock::now() + time); }
  Loop::Instant expiry() const { return expiry_; }

  // handler(error), a moment later at the earliest; an error if it was cancelled, as whoever waited
  // before is.
  void async_wait(Handler handler);
  void cancel();

  Loop& loop() const { return loop_; }

 private:
  friend class Loop;

  void fire();
  void drop_into(std::vector<Task>& dropped);

  Loop& loop_;
  Loop::Instant expiry_{};
  Handler handler_;  // Invariant: there if and only if in the loop's timers.
  Loop::Timers::iterator place_;
};

}  // namespace hapax
