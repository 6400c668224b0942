// The limit of any lock service over sockets: a server of one thread and one process with a queue a
// lock, and nothing else. No fences, no members, no failures, no names longer than a number. What a
// daemon adds is measured against it, in the same run.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <unordered_map>

namespace hapax::bench {

struct BareMessage {
  std::uint64_t is_release = 0;  // Else it asks.
  std::uint64_t lock = 0;
};

inline sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error{"the path is too long"};
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

class BareServer {
 public:
  explicit BareServer(const std::string& path)
      : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        events_(epoll_create1(EPOLL_CLOEXEC)) {
    const sockaddr_un address = address_of(path);
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(listener_, 1024) != 0) {
      throw std::runtime_error{"cannot listen at " + path};
    }
    watch(listener_);
  }

  // Until it is killed.
  [[noreturn]] void run() {
    for (;;) {
      epoll_event ready[64];
      const int count = epoll_wait(events_, ready, 64, -1);
      for (int i = 0; i < count; ++i) {
        if (ready[i].data.fd == listener_) {
          watch(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        } else {
          serve(ready[i].data.fd);
        }
      }
    }
  }

 private:
  struct Lock {
    bool is_held = false;
    std::deque<int> waiting;
  };

  void watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(events_, EPOLL_CTL_ADD, fd, &event);
  }
  // What is in the socket: a release and the next question, often.
  void serve(int client) {
    BareMessage messages[16];
    const ssize_t size = recv(client, messages, sizeof messages, 0);
    if (size <= 0 && errno != EAGAIN) close(client);
    const auto count = static_cast<std::size_t>(size < 0 ? 0 : size) / sizeof(BareMessage);
    for (std::size_t i = 0; i < count; ++i) {
      Lock& lock = locks_[messages[i].lock];
      if (messages[i].is_release == 0 && lock.is_held) {
        lock.waiting.push_back(client);
      } else if (messages[i].is_release == 0) {
        lock.is_held = true;
        grant(client);
      } else if (lock.waiting.empty()) {
        lock.is_held = false;
      } else {
        grant(lock.waiting.front());
        lock.waiting.pop_front();
      }
    }
  }
  static void grant(int client) {
    const char yes = 1;
    (void)send(client, &yes, 1, MSG_NOSIGNAL);
  }

  int listener_;
  int events_;
  std::unordered_map<std::uint64_t, Lock> locks_;
};

}  // namespace hapax::bench
