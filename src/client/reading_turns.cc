#include "client/reading_turns.h"

#include <cerrno>
#include <sys/epoll.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/check.h"
#include "loop/event_descriptor.h"

namespace hapax::client {

ReadingTurns::ReadingTurns(int socket)
    : socket_(socket), events_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll")) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (epoll_ctl(events_, EPOLL_CTL_ADD, socket_, &event) == 0) return;
  const int error = errno;
  close(events_);
  throw std::system_error{error, std::generic_category(), "epoll"};
}

ReadingTurns::~ReadingTurns() { close(events_); }

void ReadingTurns::watch(std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  HAPAX_CHECK(epoll_ctl(events_, EPOLL_CTL_MOD, socket_, &event) == 0);
}

bool ReadingTurns::take() {
  const std::lock_guard lock{mutex_};
  if (is_taken_ || has_more_) return false;
  is_taken_ = true;
  watch(0);  // Else the resident would be woken, too.
  return true;
}

void ReadingTurns::give_back(bool has_more) {
  const std::lock_guard lock{mutex_};
  is_taken_ = false;
  has_more_ = has_more;
  given_back_.notify_one();
  // One can write to it almost always: that wakes the resident. If one cannot, it looks here when
  // it next looks at the time.
  watch(has_more ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

bool ReadingTurns::await(std::chrono::milliseconds patience) {
  epoll_event happened{};
  const int count = epoll_wait(events_, &happened, 1, static_cast<int>(patience.count()));
  HAPAX_CHECK((count >= 0 || errno == EINTR));
  std::unique_lock lock{mutex_};
  // A hang-up is told although it was not asked for, again and again: the caller finds it, too.
  if (is_taken_ && count > 0) given_back_.wait_for(lock, patience, [&] { return !is_taken_; });
  if (is_taken_ || (count <= 0 && !has_more_)) return false;
  is_taken_ = true;
  if (std::exchange(has_more_, false)) watch(EPOLLIN);
  return true;
}

void ReadingTurns::done() {
  const std::lock_guard lock{mutex_};
  is_taken_ = false;
}

}  // namespace hapax::client
