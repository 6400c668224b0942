#include "member/shared_loop.h"

#include <array>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "base/check.h"
#include "base/no_signals.h"
#include "loop/event_descriptor.h"
#include "loop/event_wait.h"

namespace hapax::client {
namespace {

// How much is done before others get their turn on the loop.
constexpr int kBatch = 64;

void watch(int epoll, int operation, int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  HAPAX_CHECK(epoll_ctl(epoll, operation, fd, &event) == 0);
}

}  // namespace

thread_local const SharedLoop* SharedLoop::current_ = nullptr;

SharedLoop::SharedLoop()
    : resident_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll")),
      kick_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  watch(resident_, EPOLL_CTL_ADD, kick_, EPOLLIN);
  watch(resident_, EPOLL_CTL_ADD, loop_.events(), EPOLLIN);
}

SharedLoop::~SharedLoop() {
  HAPAX_CHECK(!thread_.joinable());
  for (const int fd : {resident_, kick_}) close(fd);
}

void SharedLoop::start() {
  kick();
  const NoSignals none;
  thread_ = std::thread{[this] { reside(); }};
}

void SharedLoop::finish() {
  if (!thread_.joinable()) return;
  kick();
  thread_.join();
}

void SharedLoop::reside() {
  Wakefulness wakefulness;
  for (Loop::Instant until = Loop::Instant::min();;) {
    std::array<epoll_event, 2> happened;
    const int count = wait_for_events(resident_, happened, until, wakefulness);
    for (int i = 0; i < count; ++i) {
      if (happened[static_cast<std::size_t>(i)].data.fd == kick_) reset(kick_);
    }
    bool is_first = true;
    for (bool is_more = true; is_more;) {
      Guard guard{*this};
      if (std::exchange(is_first, false)) look();
      is_more = do_ready(false);
      if (is_more) continue;
      loop_.end_turn();  // Which may be the last that there was to do.
      if (loop_.is_out_of_work()) return;
      until = resident_wakes_at_ = loop_.next_timer();
    }
  }
}

// What was to wake the leader may be among what has happened, and that has not looked yet: so it is
// woken again.
void SharedLoop::look() {
  loop_.note(loop_.look());
  if (is_leader_out_ && leader_->done_) loop_.wake();
}

void SharedLoop::take_lead(Waiter& waiter) {
  is_led_ = true;
  leader_ = &waiter;
  watch(resident_, EPOLL_CTL_MOD, loop_.events(), 0);
}

void SharedLoop::give_lead_up() {
  is_led_ = false;
  leader_ = nullptr;
  watch(resident_, EPOLL_CTL_MOD, loop_.events(), EPOLLIN);
}

void SharedLoop::lead(Waiter& waiter, Deadline deadline, Guard& guard) {
  // As long as it takes, since what is left over would not show as an event; but others who want
  // the loop get their turn.
  const auto do_all_ready = [&] {
    while (do_ready(waiter.done_) && !waiter.done_) {
      guard.unlock();
      guard.lock();
    }
  };
  do_all_ready();
  while (!waiter.done_ && Loop::Clock::now() < deadline) {
    is_leader_out_ = true;
    guard.unlock();
    const Loop::Seen seen = loop_.await(deadline);
    guard.lock();
    is_leader_out_ = false;
    loop_.note(seen);
    do_all_ready();
  }
}

bool SharedLoop::follow(Waiter& waiter, Deadline deadline) {
  std::unique_lock lock{waiter.mutex_};
  return waiter.told_.wait_until(lock, deadline, [&] { return waiter.is_told_; });
}

void SharedLoop::wake(Waiter& waiter) {
  waiter.done_ = true;
  if (&waiter == leader_) {
    if (is_leader_out_) loop_.wake();
    return;
  }
  // Told under its mutex: as soon as that is free the waiter may be gone.
  const std::lock_guard lock{waiter.mutex_};
  waiter.is_told_ = true;
  waiter.told_.notify_one();
}

// Whether there may be more.
bool SharedLoop::do_ready(const bool& enough) {
  for (int i = 0; i < kBatch && !enough; ++i) {
    if (loop_.do_ready()) continue;
    if (!loop_.take_next()) return false;
  }
  return true;
}

void SharedLoop::do_ready_or_kick() {
  if (do_ready(false)) kick();
}

// Nobody looks at the loop until an event comes: not even the resident, who may have gone to sleep
// when there was less to do.
void SharedLoop::leave() {
  loop_.end_turn();
  if (!loop_.rest() || loop_.next_timer() < resident_wakes_at_) {
    resident_wakes_at_ = Loop::Instant::min();
    kick();
  }
}

void SharedLoop::kick() { signal(kick_); }

std::error_code SharedLoop::would_deadlock() {
  if (current_ == nullptr) return {};
  return std::make_error_code(std::errc::resource_deadlock_would_occur);
}

}  // namespace hapax::client
