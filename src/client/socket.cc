#include "client/socket.h"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

#include "hapax/error.h"

namespace hapax::client {
namespace {

[[noreturn]] void fail(const net::Address& address, int error) {
  throw std::system_error{
      make_error_code(Errc::unreachable),
      "no daemon answers at " + address.text() + " (" + std::strerror(error) + ")"};
}

int open_unix(const net::Address& address) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof where.sun_path) fail(address, ENAMETOOLONG);
  std::memcpy(where.sun_path, address.path.data(), address.path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail(address, errno);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
    const int error = errno;
    close(fd);
    fail(address, error);
  }
  return fd;
}

int open_tcp(const net::Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string host = address.host == "localhost" ? "127.0.0.1" : address.host;
  if (getaddrinfo(host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0) {
    fail(address, EHOSTUNREACH);
  }
  int error = EHOSTUNREACH;
  int fd = -1;
  for (const addrinfo* at = found; at != nullptr && fd < 0; at = at->ai_next) {
    fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) == 0) break;
    error = errno;
    if (fd >= 0) close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  if (fd < 0) fail(address, error);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

}  // namespace

Socket::Socket(const net::Address& address)
    : fd_(address.is_unix() ? open_unix(address) : open_tcp(address)) {}

Socket::~Socket() { close(fd_); }

bool Socket::write(std::span<const std::uint8_t> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::ptrdiff_t Socket::read(std::span<std::uint8_t> room,
                            std::chrono::milliseconds patience) noexcept {
  pollfd waiting{fd_, POLLIN, 0};
  const int ready = poll(&waiting, 1, static_cast<int>(patience.count()));
  if (ready == 0 || (ready < 0 && errno == EINTR)) return 0;
  if (ready < 0) return -1;
  const ssize_t count = recv(fd_, room.data(), room.size(), 0);
  if (count < 0 && errno == EINTR) return 0;
  return count <= 0 ? -1 : count;
}

void Socket::shut_down() noexcept { shutdown(fd_, SHUT_RDWR); }

}  // namespace hapax::client
