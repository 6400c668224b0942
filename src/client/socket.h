// A connected stream socket of this process, closed with its owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "net/address.h"

namespace hapax::client {

class Socket {
 public:
  // Throws std::system_error.
  explicit Socket(const net::Address& address);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // All of it, or false.
  bool write(std::span<const std::uint8_t> bytes) noexcept;
  // How many came; 0 if none did in time; -1 if the other side is gone.
  std::ptrdiff_t read(std::span<std::uint8_t> room, std::chrono::milliseconds patience) noexcept;
  // Ends a read that waits, in whatever thread.
  void shut_down() noexcept;

 private:
  int fd_ = -1;
};

}  // namespace hapax::client
