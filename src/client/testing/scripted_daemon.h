// A daemon that says what a test wants.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <poll.h>
#include <span>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "session/frames.h"

namespace hapax::client::testing {

// Of one client at a time. Grants at once, with fences that grow, and promises what `lease_ms`
// says. It speaks one version, and refuses others as the release did that had no other.
class ScriptedDaemon {
 public:
  explicit ScriptedDaemon(const std::string& path, std::uint32_t version = session::kVersion)
      : version_(version), listener_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    if (bind(listener_, where, sizeof address) != 0 || listen(listener_, 1) != 0) std::abort();
    thread_ = std::thread{[this] { serve(); }};
  }
  ~ScriptedDaemon() {
    is_ending_ = true;
    thread_.join();
    close(listener_);
  }

  // Unasked, in a moment.
  void tell(const session::Answer& answer) {
    const std::lock_guard lock{mutex_};
    EXPECT_TRUE(session::write_frame(unasked_, answer));
  }
  // The requests, in their order.
  std::vector<session::RequestId> granted() const {
    const std::lock_guard lock{mutex_};
    return granted_;
  }
  std::vector<session::RequestId> released() const {
    const std::lock_guard lock{mutex_};
    return released_;
  }

  // The versions that clients named.
  std::vector<std::uint32_t> greeted_in() const {
    const std::lock_guard lock{mutex_};
    return greeted_in_;
  }

  std::atomic<int> lease_ms{900};

 private:
  bool is_readable(int fd) {
    pollfd ear{fd, POLLIN, 0};
    while (!is_ending_) {
      if (poll(&ear, 1, 10) > 0) return true;
      const std::lock_guard lock{mutex_};
      const Bytes unasked = std::exchange(unasked_, {});
      if (!unasked.empty() && send(fd, unasked.data(), unasked.size(), MSG_NOSIGNAL) < 0) break;
    }
    return false;
  }
  void serve() {
    while (is_readable(listener_)) serve_one();
  }
  void serve_one() {
    const int client = accept(listener_, nullptr, nullptr);
    Bytes incoming;
    std::array<std::uint8_t, 4096> room{};
    while (is_readable(client)) {
      const ssize_t count = read(client, room.data(), room.size());
      if (count <= 0) break;
      incoming.insert(incoming.end(), room.begin(), room.begin() + count);
      Bytes outgoing;
      std::span<const std::uint8_t> rest{incoming};
      for (session::Ask ask; session::take_frame(rest, session::kLargestAsk, ask, version_) ==
                             session::Taken::record;) {
        answer(ask, outgoing);
      }
      incoming.erase(incoming.begin(), incoming.end() - static_cast<std::ptrdiff_t>(rest.size()));
      if (send(client, outgoing.data(), outgoing.size(), MSG_NOSIGNAL) < 0 || is_refused_) break;
    }
    is_refused_ = false;
    close(client);
  }
  void answer(const session::Ask& ask, Bytes& outgoing) {
    const auto say = [&](const session::Answer& answer) {
      EXPECT_TRUE(session::write_frame(outgoing, answer, version_));
    };
    if (const auto* hello = std::get_if<session::Hello>(&ask)) {
      const std::lock_guard lock{mutex_};
      greeted_in_.push_back(hello->version);
      is_refused_ = hello->version != version_;
      if (is_refused_) return say(session::Refused{0, "this daemon speaks another version"});
      say(session::Welcome{version_, 0, 1, Epoch{1}, 1'000});
    } else if (const auto* asked = std::get_if<session::AskState>(&ask)) {
      session::State state;
      state.request = asked->request;
      say(state);
    } else if (const auto* acquire = std::get_if<session::Acquire>(&ask)) {
      const std::lock_guard lock{mutex_};
      granted_.push_back(acquire->request);
      say(session::Granted{acquire->request, {Epoch{1}, Turn{granted_.size()}}});
    } else if (const auto* ping = std::get_if<session::Ping>(&ask)) {
      say(session::Pong{ping->request, static_cast<std::uint64_t>(lease_ms)});
    } else if (const auto* release = std::get_if<session::Release>(&ask)) {
      const std::lock_guard lock{mutex_};
      released_.push_back(release->request);
    }
  }

  const std::uint32_t version_;
  int listener_;
  bool is_refused_ = false;
  std::atomic<bool> is_ending_{false};
  mutable std::mutex mutex_;  // Guards what follows.
  std::vector<std::uint32_t> greeted_in_;
  Bytes unasked_;
  std::vector<session::RequestId> granted_, released_;
  std::thread thread_;
};

}  // namespace hapax::client::testing
