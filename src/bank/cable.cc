#include "bank/cable.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace hapax::bank {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::system_error{errno, std::generic_category(), path.string()};
}

sockaddr_un address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    fail(path);
  }
  std::memcpy(address.sun_path, text.data(), text.size());
  return address;
}

int unix_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

// False if either side is gone.
bool pass(int from, int to) {
  std::array<char, 4096> bytes;
  const ssize_t count = recv(from, bytes.data(), bytes.size(), 0);
  if (count <= 0) return count < 0 && errno == EINTR;
  for (ssize_t sent = 0; sent < count;) {
    const ssize_t more =
        send(to, bytes.data() + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
    if (more < 0 && errno != EINTR) return false;
    if (more > 0) sent += more;
  }
  return true;
}

}  // namespace

Cable::Cable(const std::filesystem::path& here, const std::filesystem::path& there)
    : here_(here), there_(there) {
  const sockaddr_un address = address_of(here);
  (void)address_of(there);  // Too long a path shows now.
  listener_ = unix_socket();
  knife_ = eventfd(0, EFD_CLOEXEC);
  if (listener_ < 0 || knife_ < 0 ||
      bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 1) != 0) {
    const int error = errno;
    close(listener_);
    close(knife_);
    errno = error;
    fail(here);
  }
  thread_ = std::thread{[this] { pass_on(); }};
}

Cable::~Cable() {
  cut();
  close(listener_);
  close(knife_);
}

void Cable::cut() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  (void)!write(knife_, &one, sizeof one);
  thread_.join();
}

void Cable::pass_on() {
  std::array<pollfd, 2> first{pollfd{listener_, POLLIN, 0}, pollfd{knife_, POLLIN, 0}};
  while (poll(first.data(), first.size(), -1) < 0) {
  }
  if (first[1].revents != 0) return;
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  const int daemon = unix_socket();
  const sockaddr_un address = address_of(there_);
  if (connect(daemon, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    std::array<pollfd, 3> all{pollfd{client, POLLIN, 0}, pollfd{daemon, POLLIN, 0},
                              pollfd{knife_, POLLIN, 0}};
    for (bool whole = true; whole;) {
      if (poll(all.data(), all.size(), -1) < 0) continue;
      if (all[0].revents != 0) whole = pass(client, daemon);
      if (whole && all[1].revents != 0) whole = pass(daemon, client);
      if (all[2].revents != 0) whole = false;
    }
  }
  close(client);
  close(daemon);
}

}  // namespace hapax::bank
