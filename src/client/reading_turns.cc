#include "client/reading_turns.h"

#include <cerrno>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "base/check.h"
#include "client/descriptors.h"

namespace hapax::client {

ReadingTurns::ReadingTurns(int socket)
    : socket_(socket), events_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll")) {
  bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (bell_ < 0) {
    const int error = errno;
    close(events_);
    throw std::system_error{error, std::generic_category(), "eventfd"};
  }
  epoll_event rung{};
  rung.events = EPOLLIN;
  rung.data.fd = bell_;
  HAPAX_CHECK(epoll_ctl(events_, EPOLL_CTL_ADD, bell_, &rung) == 0);
  watch_socket(EPOLL_CTL_ADD, true);
}

ReadingTurns::~ReadingTurns() {
  close(bell_);
  close(events_);
}

void ReadingTurns::watch_socket(int operation, bool on) const {
  epoll_event event{};
  event.events = on ? EPOLLIN : 0;
  event.data.fd = socket_;
  HAPAX_CHECK(epoll_ctl(events_, operation, socket_, &event) == 0);
}

bool ReadingTurns::take() {
  const std::lock_guard lock{mutex_};
  if (is_taken_ || has_more_) return false;
  is_taken_ = true;
  watch_socket(EPOLL_CTL_MOD, false);  // Else the resident would be woken, too.
  return true;
}

void ReadingTurns::give_back(bool has_more) {
  const std::lock_guard lock{mutex_};
  is_taken_ = false;
  has_more_ = has_more;
  watch_socket(EPOLL_CTL_MOD, true);
  if (has_more) signal(bell_);
}

bool ReadingTurns::await(std::chrono::milliseconds patience) {
  epoll_event happened{};
  const int count = epoll_wait(events_, &happened, 1, static_cast<int>(patience.count()));
  HAPAX_CHECK((count >= 0 || errno == EINTR));
  if (count <= 0) return false;
  const std::lock_guard lock{mutex_};
  if (is_taken_) return false;
  is_taken_ = true;
  if (std::exchange(has_more_, false)) reset(bell_);
  return true;
}

void ReadingTurns::done() {
  const std::lock_guard lock{mutex_};
  is_taken_ = false;
}

}  // namespace hapax::client
