// How late a loop gets round to what is due, looked at once a second: because it is busy, because
// the machine is, or because it was stopped for a while. On the thread of the loop.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "base/histogram.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace hapax::cli {

class LoopLag {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kEvery{1'000};
  static constexpr std::chrono::milliseconds kSlow{250};
  static constexpr std::chrono::seconds kSayEvery{10};

  // `say` is told, every now and then, of one longer than kSlow.
  LoopLag(Loop& io, std::function<void(Clock::duration)> say) : timer_(io), say_(std::move(say)) {}

  void start() {
    timer_.expires_after(kEvery);
    timer_.async_wait([this](const boost::system::error_code& stopped) {
      if (stopped || is_stopped_) return;
      const auto now = Clock::now();
      note(now - timer_.expiry(), now);
      start();
    });
  }
  // A look that is due at this moment is not cancelled any more: it must not take another.
  void stop() {
    is_stopped_ = true;
    timer_.cancel();
  }
  void note(Clock::duration late, Clock::time_point now) {
    seen_.note(late);
    if (late < kSlow || now < silent_until_) return;
    silent_until_ = now + kSayEvery;
    say_(late);
  }
  const Histogram& seen() const { return seen_; }

 private:
  Timer timer_;
  std::function<void(Clock::duration)> say_;
  Histogram seen_{bounds::kUpkeep};
  Clock::time_point silent_until_{};
  bool is_stopped_ = false;
};

}  // namespace hapax::cli
