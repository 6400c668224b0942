#include "member/shared_loop.h"

#include <array>
#include <boost/asio/detail/epoll_reactor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/check.h"
#include "base/no_signals.h"
#include "client/descriptors.h"

namespace hapax::client {
namespace {

using Reactor = boost::asio::detail::epoll_reactor;

// To wait for the loop's events without holding its lock we need the descriptor that Asio waits on,
// and Asio does not give it away. An explicit instantiation may name what is private. The
// alternatives: a loop of our own over epoll, which Asio's sockets would then have to do without;
// or an Asio that has a native_handle() of its reactor.
int events_of(const Reactor& reactor);
template <int Reactor::*kDescriptor>
struct Revealed {
  friend int events_of(const Reactor& reactor) { return reactor.*kDescriptor; }
};
template struct Revealed<&Reactor::epoll_fd_>;

// How many handlers run before others get their turn on the loop.
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
    : io_(std::make_unique<boost::asio::io_context>(1)),
      events_(events_of(boost::asio::use_service<Reactor>(*io_))),
      resident_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll")),
      kick_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      wake_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  watch(resident_, EPOLL_CTL_ADD, kick_, EPOLLIN);
  watch(resident_, EPOLL_CTL_ADD, events_, EPOLLIN);
}

SharedLoop::~SharedLoop() {
  HAPAX_CHECK(!thread_.joinable());
  for (const int fd : {resident_, kick_, wake_}) close(fd);
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
  for (;;) {
    std::array<epoll_event, 2> happened;
    const int count = epoll_wait(resident_, happened.data(), static_cast<int>(happened.size()), -1);
    HAPAX_CHECK((count >= 0 || errno == EINTR));
    for (int i = 0; i < count; ++i) {
      if (happened[static_cast<std::size_t>(i)].data.fd == kick_) reset(kick_);
    }
    for (bool is_more = true; is_more;) {
      const Guard guard{*this};
      is_more = run_ready(false);
      if (io_->stopped()) return;
    }
  }
}

void SharedLoop::take_lead(Waiter& waiter) {
  is_led_ = true;
  leader_ = &waiter;
  watch(resident_, EPOLL_CTL_MOD, events_, 0);
}

void SharedLoop::give_lead_up() {
  is_led_ = false;
  leader_ = nullptr;
  watch(resident_, EPOLL_CTL_MOD, events_, EPOLLIN);
}

void SharedLoop::lead(Waiter& waiter, Deadline deadline, Guard& guard) {
  // As long as it takes, since what is left over would not show on events_; but others who want the
  // loop get their turn.
  const auto run_all_ready = [&] {
    while (run_ready(waiter.done_) && !waiter.done_) {
      guard.unlock();
      guard.lock();
    }
  };
  run_all_ready();
  while (!waiter.done_) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= left.zero()) break;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec patience{seconds.count(), std::chrono::nanoseconds{left - seconds}.count()};
    std::array<pollfd, 2> fds{{{events_, POLLIN, 0}, {wake_, POLLIN, 0}}};
    is_leader_out_ = true;
    guard.unlock();
    ppoll(fds.data(), fds.size(), &patience, nullptr);
    guard.lock();
    is_leader_out_ = false;
    if (fds[1].revents != 0) reset(wake_);
    run_all_ready();
  }
}

bool SharedLoop::follow(Waiter& waiter, Deadline deadline) {
  std::unique_lock lock{waiter.mutex_};
  return waiter.told_.wait_until(lock, deadline, [&] { return waiter.is_told_; });
}

void SharedLoop::wake(Waiter& waiter) {
  waiter.done_ = true;
  if (&waiter == leader_) {
    if (is_leader_out_) signal(wake_);
    return;
  }
  // Told under its mutex: as soon as that is free the waiter may be gone.
  const std::lock_guard lock{waiter.mutex_};
  waiter.is_told_ = true;
  waiter.told_.notify_one();
}

// Whether there may be more.
bool SharedLoop::run_ready(const bool& enough) {
  for (int i = 0; i < kBatch && !enough; ++i) {
    if (io_->poll_one() == 0) return false;
  }
  return true;
}

void SharedLoop::run_ready_or_kick() {
  if (run_ready(false)) kick();
}

void SharedLoop::kick() { signal(kick_); }

void SharedLoop::post(std::function<void()> f) {
  boost::asio::post(*io_, std::move(f));
  kick();
}

std::error_code SharedLoop::would_deadlock() {
  if (current_ == nullptr) return {};
  return std::make_error_code(std::errc::resource_deadlock_would_occur);
}

}  // namespace hapax::client
