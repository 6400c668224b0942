// A socket that somebody owns, on its way from who made it to who uses it. No program inherits it
// that this one starts: a child that has a member's port keeps it after the member has ended.
#pragma once

#include <unistd.h>
#include <utility>

#include "loop/loop.h"

namespace hapax::net {

class Socket {
 public:
  Socket(Loop& loop, int fd) : loop_(&loop), fd_(fd) {}
  Socket(Socket&& other) noexcept : loop_(other.loop_), fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(loop_, other.loop_);
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() { close(); }

  int fd() const { return fd_; }  // -1: none.
  Loop& loop() const { return *loop_; }
  void close() {
    if (const int fd = std::exchange(fd_, -1); fd >= 0) ::close(fd);
  }

 private:
  Loop* loop_;
  int fd_;
};

}  // namespace hapax::net
