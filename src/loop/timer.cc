#include "loop/timer.h"

#include <utility>

namespace hapax {

void Timer::async_wait(Handler handler) {
  cancel();
  handler_ = std::move(handler);
  place_ = loop_.timers_.emplace(expiry_, this);
  ++loop_.work_;
}

void Timer::cancel() {
  if (!handler_) return;
  loop_.timers_.erase(place_);
  --loop_.work_;
  loop_.post([handler = std::move(handler_)]() mutable {
    handler(boost::system::errc::make_error_code(boost::system::errc::operation_canceled));
  });
}

void Timer::fire() {
  loop_.timers_.erase(place_);
  --loop_.work_;
  Handler handler = std::move(handler_);
  handler({});
}

void Timer::drop_into(std::vector<Task>& dropped) {
  dropped.emplace_back([handler = std::move(handler_)] {});
}

}  // namespace hapax
