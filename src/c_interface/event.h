// A descriptor that a program polls: readable from raise() to lower().
#pragma once

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace hapax::c_interface {

class Event {
 public:
  // Throws std::system_error.
  Event() {
    if (fd_ < 0) throw std::system_error{errno, std::generic_category(), "eventfd"};
  }
  ~Event() { close(fd_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  int descriptor() const { return fd_; }
  void raise() const { (void)!eventfd_write(fd_, 1); }
  void lower() const {
    eventfd_t ignored = 0;
    (void)!eventfd_read(fd_, &ignored);
  }

 private:
  const int fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
};

}  // namespace hapax::c_interface
