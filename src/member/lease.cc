#include "member/lease.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

#include "base/boot_clock.h"
#include "base/check.h"
#include "base/no_signals.h"
#include "handles/library_thread.h"
#include "loop/event_descriptor.h"

namespace hapax::client {

Lease::Lease(bool runs_out) : term_(runs_out) {
  if (!runs_out) return;
  timer_ = checked(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd");
  wake_ = checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
  const NoSignals none;
  thread_ = std::thread{[this] { watch(); }};
}

Lease::~Lease() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  signal(wake_);
  thread_.join();
  for (Notice& notice : notices_) notice.thread.join();
  close(timer_);
  close(wake_);
}

bool Lease::covers(Term term) const noexcept {
  return term_.covers(term, [] { return boot_clock_now(); });
}

Span Lease::left() const noexcept {
  const Instant end = term_.until();
  return end == LeaseTerm::kForever ? Span::max() : std::max(Span{0}, end - boot_clock_now());
}

std::stop_token Lease::token(Term term) const {
  const std::lock_guard lock{mutex_};
  if (term == 0 || term == term_.number()) return source_.get_token();
  std::stop_source over;
  over.request_stop();
  return over.get_token();
}

void Lease::renew(Instant until) {
  const std::lock_guard lock{mutex_};
  term_.renew(until);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(until);
  itimerspec at{};
  at.it_value = {seconds.count(), (until - seconds).count()};
  HAPAX_CHECK(timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr) == 0);
}

Lease::Term Lease::grant() {
  const std::lock_guard lock{mutex_};
  return term_.grant();
}

void Lease::end_term() {
  if (!term_.end()) return;
  std::erase_if(notices_, [](Notice& notice) {
    if (!notice.is_done->load()) return false;
    notice.thread.join();
    return true;
  });
  const std::stop_source ended = std::exchange(source_, std::stop_source{});
  auto is_done = std::make_shared<std::atomic<bool>>(false);
  const NoSignals none;
  std::thread thread{[ended, is_done]() mutable {
    const LibraryThread here;
    ended.request_stop();
    is_done->store(true);
  }};
  notices_.push_back({std::move(thread), std::move(is_done)});
  // It says so before it calls anybody.
  while (!ended.stop_requested()) std::this_thread::yield();
}

void Lease::end() {
  const std::lock_guard lock{mutex_};
  end_term();
}

void Lease::watch() {
  for (;;) {
    std::array<pollfd, 2> fds{{{timer_, POLLIN, 0}, {wake_, POLLIN, 0}}};
    const int count = poll(fds.data(), fds.size(), -1);
    HAPAX_CHECK((count >= 0 || errno == EINTR));
    reset(timer_);
    reset(wake_);
    const std::lock_guard lock{mutex_};
    if (is_stopping_) return;
    // It may have been renewed meanwhile.
    if (boot_clock_now() >= term_.until()) end_term();
  }
}

}  // namespace hapax::client
