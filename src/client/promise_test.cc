// What a client makes of what its daemon says about leases: against a daemon that says what the
// test wants.
#include <array>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <poll.h>
#include <span>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "base/testing/folder.h"
#include "client/testing/eventually.h"
#include "hapax/hapax.h"
#include "session/frames.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::eventually;

// Of one client. Grants at once, and promises what `lease_ms` says.
class ScriptedDaemon {
 public:
  explicit ScriptedDaemon(const std::string& path) : listener_(socket(AF_UNIX, SOCK_STREAM, 0)) {
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

  std::atomic<int> lease_ms{0};
  std::atomic<int> grants{0};
  std::atomic<int> releases{0};

 private:
  bool is_readable(int fd) const {
    pollfd ear{fd, POLLIN, 0};
    while (!is_ending_) {
      if (poll(&ear, 1, 10) > 0) return true;
    }
    return false;
  }
  void serve() {
    if (!is_readable(listener_)) return;
    const int client = accept(listener_, nullptr, nullptr);
    Bytes incoming;
    std::array<std::uint8_t, 4096> room{};
    while (is_readable(client)) {
      const ssize_t count = read(client, room.data(), room.size());
      if (count <= 0) break;
      incoming.insert(incoming.end(), room.begin(), room.begin() + count);
      Bytes outgoing;
      std::span<const std::uint8_t> rest{incoming};
      for (session::Ask ask;
           session::take_frame(rest, session::kLargestAsk, ask) == session::Taken::record;) {
        answer(ask, outgoing);
      }
      incoming.erase(incoming.begin(), incoming.end() - static_cast<std::ptrdiff_t>(rest.size()));
      if (send(client, outgoing.data(), outgoing.size(), MSG_NOSIGNAL) < 0) break;
    }
    close(client);
  }
  void answer(const session::Ask& ask, Bytes& outgoing) {
    const auto tell = [&](const session::Answer& answer) {
      EXPECT_TRUE(session::write_frame(outgoing, answer));
    };
    if (std::holds_alternative<session::Hello>(ask)) {
      tell(session::Welcome{session::kVersion, 0, 1, Epoch{1}, 1'000});
    } else if (const auto* acquire = std::get_if<session::Acquire>(&ask)) {
      ++grants;
      tell(session::Granted{acquire->request, {Epoch{1}, Turn{7}}});
    } else if (const auto* ping = std::get_if<session::Ping>(&ask)) {
      tell(session::Pong{ping->request, static_cast<std::uint64_t>(lease_ms)});
    } else if (std::holds_alternative<session::Release>(ask)) {
      ++releases;
    }
  }

  int listener_;
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

TEST(Promise, AGrantIsHandedOverWhenItIsKnownHowLongItIsGood) {
  const testing::Folder folder;
  ScriptedDaemon daemon{(folder / "socket").string()};
  daemon.lease_ms = 900;
  Client client{"unix:" + (folder / "socket").string()};
  daemon.lease_ms = 0;
  Mutex mutex{client, "one"};
  EXPECT_TRUE(eventually([&] { return mutex.valid_for() == 0ms; }));
  std::atomic<bool> is_held = false;
  std::thread thread{[&] {
    mutex.lock();
    is_held = true;
  }};
  ASSERT_TRUE(eventually([&] { return daemon.grants > 0; }));
  std::this_thread::sleep_for(300ms);
  EXPECT_FALSE(is_held) << "the daemon may have no lease any more";
  daemon.lease_ms = 900;
  thread.join();
  EXPECT_FALSE(mutex.lost().stop_requested());
  EXPECT_GT(mutex.valid_for(), 0ms);
  EXPECT_LE(mutex.valid_for(), 900ms);
  mutex.unlock();
}

TEST(Promise, EndsInTimeAlsoIfItIsTheSecondOne) {
  const testing::Folder folder;
  ScriptedDaemon daemon{(folder / "socket").string()};
  daemon.lease_ms = 900;
  Client client{"unix:" + (folder / "socket").string()};
  Mutex mutex{client, "one"};
  for (int i = 0; i < 2; ++i) {
    daemon.lease_ms = 900;
    mutex.lock();
    const std::stop_token lost = mutex.lost();
    EXPECT_FALSE(lost.stop_requested());
    daemon.lease_ms = 0;  // From now on.
    EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
    EXPECT_EQ(mutex.valid_for(), 0ms);
    mutex.unlock();
    EXPECT_TRUE(eventually([&] { return daemon.releases > i; })) << "what is lost is given back";
  }
}

}  // namespace
}  // namespace hapax
