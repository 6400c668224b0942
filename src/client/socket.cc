#include "client/socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

#include "base/await.h"
#include "base/credentials.h"
#include "base/machine_daemon.h"
#include "hapax/error.h"

namespace hapax::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string owner_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return "in a folder that is closed to us";
  return fmt::format("of {}, mode {:04o}", text_of_user(info.st_uid), info.st_mode & 07777);
}

[[noreturn]] void fail(const net::Address& address, int error) {
  if (address.is_unix() && error == EACCES) {
    throw std::system_error{
        make_error_code(Errc::forbidden),
        fmt::format("no permission to connect to {}: it is {}, and you are {}; its daemon lets in "
                    "others with --socket-group or --socket-mode",
                    address.text(), owner_of(address.path), text_of_user(geteuid()))};
  }
  throw std::system_error{make_error_code(Errc::unreachable),
                          fmt::format("no daemon answers at {} ({}); {}", address.text(),
                                      std::strerror(error), how_to_start_a_daemon(address.path))};
}

// 0, or what went wrong.
int connect_in_time(int fd, const sockaddr* where, socklen_t size,
                    steady_clock::time_point deadline) {
  if (connect(fd, where, size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!await(fd, POLLOUT, deadline)) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

int open_unix(const net::Address& address, steady_clock::time_point deadline) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof where.sun_path) fail(address, ENAMETOOLONG);
  std::memcpy(where.sun_path, address.path.data(), address.path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) fail(address, errno);
  const int error =
      connect_in_time(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where, deadline);
  if (error == 0) return fd;
  close(fd);
  fail(address, error);
}

int open_tcp(const net::Address& address, steady_clock::time_point deadline) {
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
    fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    error = fd < 0 ? errno : connect_in_time(fd, at->ai_addr, at->ai_addrlen, deadline);
    if (error == 0) break;
    if (fd >= 0) close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  if (fd < 0) fail(address, error);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// Before a word is said: anybody can listen where anybody may make files.
void check_server(int fd, const net::Address& address, std::optional<uid_t> trusted) {
  const auto server = credentials_of(fd);
  if (server && (is_one_of_us(server->uid) || server->uid == trusted)) return;
  throw std::system_error{
      make_error_code(Errc::untrusted),
      fmt::format("{} is served by {}, and you are {}; if that is whom you mean, say so with "
                  "--server-user or HAPAX_SERVER_USER",
                  address.text(), server ? text_of_user(server->uid) : "nobody knows whom",
                  text_of_user(geteuid()))};
}

}  // namespace

void fail_for(const net::Address& address, const HandshakeTrouble& trouble) {
  using Kind = HandshakeTrouble::Kind;
  const Errc errc = trouble.kind == Kind::they_refuse ? Errc::forbidden
                    : trouble.kind == Kind::we_refuse ? Errc::untrusted
                                                      : Errc::unreachable;
  throw std::system_error{make_error_code(errc),
                          "no TLS with the daemon at " + address.text() + ": " + trouble.words};
}

Socket::Socket(const net::Address& address, const Trust& trust, milliseconds patience) {
  const auto deadline = steady_clock::now() + patience;
  fd_ = address.is_unix() ? open_unix(address, deadline) : open_tcp(address, deadline);
  try {
    if (address.is_unix()) {
      check_server(fd_, address, trust.server_user);
    } else if (trust.tls) {
      session_ = trust.tls->shake_hands(fd_, address, deadline);
    }
  } catch (...) {
    close(fd_);
    throw;
  }
}

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
  close(fd_);
}

bool Socket::write(std::span<const std::uint8_t> bytes) noexcept {
  if (session_) return session_->write(bytes);
  while (!bytes.empty()) {
    const ssize_t count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN && await(fd_, POLLOUT, forever())) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::ptrdiff_t Socket::read(std::span<std::uint8_t> room, milliseconds patience) noexcept {
  if (session_) return session_->read(room, patience);
  return read_until(room, steady_clock::now() + patience);
}

std::ptrdiff_t Socket::read_until(std::span<std::uint8_t> room,
                                  steady_clock::time_point deadline) noexcept {
  std::ptrdiff_t count = 0;
  if (wakefulness_.finds(deadline, [&] { return (count = read_now(room)) != 0; })) return count;
  // Not by a read that blocks: that one is also woken when the other side reads.
  return await(fd_, POLLIN, deadline) ? read_now(room) : 0;
}

std::ptrdiff_t Socket::read_now(std::span<std::uint8_t> room) noexcept {
  const ssize_t count = receive(room);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
  return count <= 0 ? -1 : count;
}

// The bytes, and a descriptor if one comes with them.
std::ptrdiff_t Socket::receive(std::span<std::uint8_t> room) noexcept {
  iovec bytes{room.data(), room.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptor_)> control;
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t count = recvmsg(fd_, &message, MSG_CMSG_CLOEXEC);
  if (count <= 0) return count;
  const cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  if (rights == nullptr || rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS ||
      rights->cmsg_len != CMSG_LEN(sizeof descriptor_)) {
    return count;
  }
  if (descriptor_ >= 0) close(descriptor_);
  std::memcpy(&descriptor_, CMSG_DATA(rights), sizeof descriptor_);
  return count;
}

void Socket::shut_down() noexcept { shutdown(fd_, SHUT_RDWR); }

}  // namespace hapax::client
