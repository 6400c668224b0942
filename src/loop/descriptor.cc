#include "loop/descriptor.h"

#include <algorithm>
#include <cerrno>
#include <sys/epoll.h>
#include <utility>

#include "base/check.h"

namespace hapax {

void Descriptor::await_readable() {
  HAPAX_CHECK(!awaits_readable_);
  awaits_readable_ = true;
  ++loop_.work_;
  if (!is_watched_) watch(false);
  queue_if_due();
}

void Descriptor::await_writable() {
  HAPAX_CHECK(!awaits_writable_);
  awaits_writable_ = true;
  ++loop_.work_;
  if (!is_watched_for_room_) watch(true);
  queue_if_due();
}

// Room is watched only from the first time that somebody had to wait for it: a Unix socket says at
// every read of the other side that there is room, which would wake us for nothing.
void Descriptor::watch(bool for_room) {
  for_room = for_room || is_watched_for_room_;
  if (!key_) key_ = loop_.places_.give(*this);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;
  if (for_room) event.events |= EPOLLOUT;
  event.data.u64 = *key_;
  const int operation = is_watched_ ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (epoll_ctl(loop_.epoll_, operation, fd_, &event) != 0) return refuse(errno);
  refusal_ = 0;
  is_watched_ = true;
  is_watched_for_room_ = for_room;
}

// A machine has so many watches for each user, and so much memory. Who waits is told at once, and
// finds out why.
void Descriptor::refuse(int error) {
  HAPAX_CHECK((error == ENOSPC || error == ENOMEM || error == EPERM));
  refusal_ = error;
  is_readable_ = true;
  is_writable_ = true;
}

void Descriptor::note(std::uint32_t events) {
  constexpr std::uint32_t kEnded = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
  if ((events & kEnded) != 0) has_ended_ = true;
  if ((events & (EPOLLIN | kEnded)) != 0) is_readable_ = true;
  if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) is_writable_ = true;
  queue_if_due();
}

void Descriptor::has_nothing() {
  is_readable_ = false;
  has_ended_ = false;
}

void Descriptor::queue_if_due() {
  if (is_queued_ || !is_due()) return;
  is_queued_ = true;
  loop_.ready_later_.push_back(this);
}

// One thing at a time: what it brings about may be our end.
bool Descriptor::act() {
  is_queued_ = false;
  if (!is_due()) return false;
  --loop_.work_;
  if (is_readable_ && awaits_readable_) {
    awaits_readable_ = false;
    queue_if_due();
    on_readable();
  } else {
    awaits_writable_ = false;
    queue_if_due();
    on_writable();
  }
  return true;
}

void Descriptor::close() {
  if (std::exchange(awaits_readable_, false)) --loop_.work_;
  if (std::exchange(awaits_writable_, false)) --loop_.work_;
  if (std::exchange(is_queued_, false)) {
    Descriptor* const nobody = nullptr;
    std::replace(loop_.ready_.begin(), loop_.ready_.end(), this, nobody);
    std::replace(loop_.ready_later_.begin(), loop_.ready_later_.end(), this, nobody);
  }
  if (key_) loop_.places_.take_back(*key_);
  key_.reset();
  // Closing it would not be enough: a child that was forked may have it, too.
  if (std::exchange(is_watched_, false)) epoll_ctl(loop_.epoll_, EPOLL_CTL_DEL, fd_, nullptr);
}

}  // namespace hapax
