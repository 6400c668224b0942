// Locks at real Redis servers, as a program uses them; and what they do not promise, on real
// processes.
#include <atomic>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/send_signal.h"
#include "base/testing/folder.h"
#include "direct_redis/redis_gateway.h"
#include "engine/testing/process.h"
#include "handles/gateway_makers.h"
#include "hapax/gate.h"
#include "hapax/hapax.h"

namespace hapax {

// This program has the one that it tests.
std::span<const detail::GatewayMaker> detail::gateway_makers() {
  static constexpr detail::GatewayMaker kOnly[] = {{"redis", direct::open_redis}};
  return kOnly;
}

namespace direct {
namespace {

using namespace std::chrono_literals;
using engine::testing::free_port;
using engine::testing::server;
using ::testing::HasSubstr;

class Redis : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!engine::testing::is_installed("redis-server")) GTEST_SKIP() << "no redis-server here";
  }
  void start(std::size_t count, const std::vector<std::string>& more = {}) {
    for (std::size_t i = 0; i < count; ++i) {
      ports_.push_back(free_port());
      servers_.emplace_back();
      start_again(i, more);
    }
    for (const std::uint16_t port : ports_) {
      ASSERT_TRUE(eventually([&] { return tell(port, {"PING"}); }));
    }
  }
  void start_again(std::size_t i, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"redis-server",
                                   "--port",
                                   std::to_string(ports_[i]),
                                   "--bind",
                                   "127.0.0.1",
                                   "--save",
                                   "",
                                   "--dir",
                                   folder_.path()};
    words.insert(words.end(), more.begin(), more.end());
    servers_[i].emplace(server(words, folder_ / "log"));
  }
  bool tell(std::uint16_t port, std::vector<std::string> words) const {
    words.insert(words.begin(), {"redis-cli", "-e", "-p", std::to_string(port)});
    if (has_password_) words.insert(words.begin() + 1, {"-a", "secret"});
    return engine::testing::run(words, folder_ / "log");
  }
  ClientOptions options() const {
    ClientOptions options;
    std::string all;
    for (const std::uint16_t port : ports_) {
      all += fmt::format("{}127.0.0.1:{}", all.empty() ? "redis://" : ",", port);
    }
    options.addresses = {all};
    options.engine_ttl = 1s;
    return options;
  }
  template <class F>
  static bool eventually(F f, std::chrono::seconds patience = 20s) {
    const auto give_up = std::chrono::steady_clock::now() + patience;
    while (!f()) {
      if (std::chrono::steady_clock::now() > give_up) return false;
      std::this_thread::sleep_for(10ms);
    }
    return true;
  }

  const hapax::testing::Folder folder_;
  bool has_password_ = false;
  std::vector<std::uint16_t> ports_;
  std::vector<std::optional<Child>> servers_;
};

TEST_F(Redis, ExcludesOnOneServerAndFencesGrow) {
  start(1);
  Client one{options()}, two{options()};
  Mutex mine{one, "orders"}, yours{two, "orders"};
  mine.lock();
  const Fence first = mine.fence();
  EXPECT_FALSE(yours.try_lock());
  EXPECT_GT(mine.valid_for(), 0ms);
  const auto locks = two.who("orders");
  ASSERT_EQ(locks.size(), 1u);
  EXPECT_EQ(locks[0].holder->pid, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(locks[0].holder->fence, first) << "else it would be shown as one that only keeps it";
  std::this_thread::sleep_for(1500ms);  // Kept alive past its TTL.
  EXPECT_FALSE(mine.lost().stop_requested());
  EXPECT_FALSE(yours.try_lock());
  mine.unlock();
  ASSERT_TRUE(yours.try_lock_for(10s));
  EXPECT_GT(yours.fence(), first);
  EXPECT_TRUE(tell(ports_[0], {"EXISTS", "orders"}));
}

TEST_F(Redis, ExcludesOverThreeServersWhileNothingIsPaused) {
  start(3);
  constexpr int kClients = 4, kEntries = 15;
  std::atomic<int> inside{0}, most{0};
  std::mutex mutex;
  std::vector<Fence> fences;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kClients; ++i) {
      threads.emplace_back([&] {
        Client client{options()};
        Mutex lock{client, "orders"};
        for (int n = 0; n < kEntries; ++n) {
          lock.lock();
          most = std::max(most.load(), ++inside);
          {
            const std::lock_guard guard{mutex};
            fences.push_back(lock.fence());
          }
          --inside;
          lock.unlock();
        }
      });
    }
  }
  EXPECT_EQ(most, 1);
  ASSERT_EQ(fences.size(), static_cast<std::size_t>(kClients * kEntries));
  for (std::size_t i = 1; i < fences.size(); ++i) EXPECT_LT(fences[i - 1], fences[i]) << i;
}

TEST_F(Redis, GoesOnWithAMajorityAndSaysWhenThereIsNone) {
  start(3);
  Client client{options()};
  Mutex lock{client, "orders"}, other{client, "others"};
  lock.lock();
  servers_[0]->end(SIGKILL);
  std::this_thread::sleep_for(1200ms);
  EXPECT_FALSE(lock.lost().stop_requested());
  ASSERT_TRUE(other.try_lock_for(10s));
  servers_[1]->end(SIGKILL);
  EXPECT_TRUE(eventually([&] { return lock.lost().stop_requested(); }));
  EXPECT_EQ(lock.valid_for(), 0ms);
  Mutex third{client, "third"};
  EXPECT_EQ(third.acquire_until(std::chrono::steady_clock::now() + 300ms, {}), Errc::unavailable);
  start_again(0);
  EXPECT_TRUE(third.try_lock_for(20s)) << "two of three are there again";
}

// As redis-cli, or another program's Redlock, has it.
TEST_F(Redis, SharesItsKeysWithOtherPrograms) {
  start(1);
  Client client{options()};
  Mutex lock{client, "orders"};
  ASSERT_TRUE(tell(ports_[0], {"SET", "orders", "theirs", "NX", "PX", "700"}));
  EXPECT_FALSE(lock.try_lock());
  ASSERT_TRUE(lock.try_lock_for(10s)) << "it has expired";
  EXPECT_FALSE(lock.lost().stop_requested());
  ASSERT_TRUE(tell(ports_[0], {"DEL", "orders"}));
  EXPECT_TRUE(eventually([&] { return lock.lost().stop_requested(); })) << "somebody deleted it";
}

TEST_F(Redis, SaysWhatItDoesNotDo) {
  has_password_ = true;
  start(1, {"--requirepass", "secret"});
  const auto complaint = [](const ClientOptions& o) -> std::string {
    try {
      Client client{o};
      return "";
    } catch (const std::system_error& e) {
      return e.what();
    }
  };
  EXPECT_THAT(complaint(options()), HasSubstr("Authentication required"));
  ClientOptions with = options();
  with.engine_password = "secret";
  Client client{with};
  EXPECT_THROW(client.who(), std::system_error);
  SharedMutex shared{client, "x"};
  EXPECT_THROW(shared.lock_shared(), std::system_error);
  Semaphore units{client, "x"};
  EXPECT_THROW(units.acquire(), std::system_error);
  Mutex taken{client, "x:fence"};
  EXPECT_THROW(taken.lock(), std::system_error);
  with.addresses[0] += fmt::format(",127.0.0.1:{}", ports_[0]);
  EXPECT_THAT(complaint(with), HasSubstr("is named twice"));
  with.addresses = {"redis://127.0.0.1:x"};
  EXPECT_THAT(complaint(with), HasSubstr("has no port"));
  with.addresses = {fmt::format("redis://127.0.0.1:{}", free_port())};
  EXPECT_THAT(complaint(with), HasSubstr("Connection refused"));
}

// `hapax check redlock --faults pause` on real processes: a holder that is stopped past its expiry
// believes that it is inside while another one is. Only the gate can tell.
TEST_F(Redis, LetsTwoInWhenAHolderIsStoppedAndTheGateRefusesIt) {
  start(3);
  const auto gate = folder_ / "gate";
  int entered[2];
  ASSERT_EQ(pipe(entered), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    Client client{options()};
    Mutex lock{client, "orders"};
    lock.lock();
    const Fence fence = lock.fence();
    (void)!write(entered[1], "x", 1);
    raise(SIGSTOP);
    // It has looked at nothing since, and writes.
    _exit(FileGate{gate}.admit(fence) ? 1 : 0);
  }
  char byte = 0;
  ASSERT_EQ(read(entered[0], &byte, 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(holder, &status, WUNTRACED), holder);
  ASSERT_TRUE(WIFSTOPPED(status));
  Client client{options()};
  Mutex lock{client, "orders"};
  EXPECT_TRUE(lock.try_lock_for(20s)) << "the keys have expired";
  EXPECT_TRUE(FileGate{gate}.admit(lock.fence()));
  signal_process(holder, SIGCONT);
  ASSERT_EQ(waitpid(holder, &status, 0), holder);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the gate let the late one pass";
}

}  // namespace
}  // namespace direct
}  // namespace hapax
