// Locks on real ZooKeeper servers, beside kazoo.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>

#include "base/child.h"
#include "base/testing/folder.h"
#include "direct/testing/files.h"
#include "direct_zookeeper/zookeeper_gateway.h"
#include "handles/gateway_makers.h"
#include "handles/testing/contract.h"
#include "hapax/shared_mutex.h"
#include "zookeeper/testing/ensemble.h"

// In the place of the room engines, which comes later.
std::span<const hapax::detail::GatewayMaker> hapax::detail::gateway_makers() {
  static constexpr GatewayMaker kZooKeeper[] = {{"zookeeper", direct::open_zookeeper}};
  return kZooKeeper;
}

namespace hapax::testing {
namespace {

using engine::testing::Ensemble;
using ::testing::HasSubstr;

// It takes Java a while.
bool answers(const Ensemble& ensemble) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < end) {
    try {
      const Client client{ensemble.url().text()};
      return true;
    } catch (const std::system_error&) {
    }
  }
  return false;
}

// Started by the first test that needs it.
Ensemble& zookeeper() {
  static Ensemble ensemble{1};
  static const bool is_there = answers(ensemble);
  EXPECT_TRUE(is_there);
  return ensemble;
}

INSTANTIATE_TEST_SUITE_P(ZooKeeper, GatewayContract, ::testing::Values(line_gate("zookeeper", [] {
                           return zookeeper().url().text();
                         })));

TEST(ZooKeeperFiles, AreThoseOfAGroupAndItsDaemons) {
  Client one{zookeeper().url().text()}, other{zookeeper().url().text()};
  expect_files(one, other);
}

constexpr const char* kPython = "/usr/bin/python3";  // Debian's, whose packages has kazoo.

bool has_kazoo() { return std::system("/usr/bin/python3 -c 'import kazoo' 2>/dev/null") == 0; }

// kazoo's Lock, held from when a file is there until another one is.
class KazooLock {
 public:
  KazooLock(const Ensemble& ensemble, const Folder& folder, const std::string& path)
      : begun_(folder / "begun"),
        end_(folder / "end"),
        child_(Child::logging_to(
            folder / "log", "kazoo",
            {.words = {kPython, "-c",
                       fmt::format("import os, time, kazoo.client\n"
                                   "c = kazoo.client.KazooClient(hosts='{}')\n"
                                   "c.start()\n"
                                   "with c.Lock('{}', 'kazoo-{}'):\n"
                                   "  open('{}', 'w').close()\n"
                                   "  while not os.path.exists('{}'): time.sleep(0.02)\n"
                                   "c.stop()\n",
                                   ensemble.url().endpoints[0].text(), path, 1, begun_.string(),
                                   end_.string())}})) {}
  bool is_inside() const { return std::filesystem::exists(begun_); }
  void end() {
    std::ofstream{end_}.put('x');
    child_.wait_for_end(20s);
  }

 private:
  const std::filesystem::path begun_;
  const std::filesystem::path end_;
  Child child_;
};

TEST(ZooKeeperLocks, AreInOneLineWithKazoo) {
  if (!has_kazoo()) GTEST_SKIP() << "no kazoo to test against: install python3-kazoo";
  const Folder folder;
  Client client{zookeeper().url().text()};
  Mutex mutex{client, "shared/with-kazoo"};
  mutex.lock();
  KazooLock theirs{zookeeper(), folder, "/shared/with-kazoo"};
  ASSERT_TRUE(comes_about([&] { return client.who("shared/with-kazoo")[0].waiters.size() == 1; }));
  Mutex behind{client, "shared/with-kazoo"};
  std::promise<std::error_code> granted;
  behind.async_acquire([&](std::error_code error) { granted.set_value(error); });
  ASSERT_TRUE(comes_about([&] { return client.who("shared/with-kazoo")[0].waiters.size() == 2; }));
  EXPECT_EQ(client.who("shared/*")[0].waiters[0].command, "kazoo-1");
  EXPECT_FALSE(theirs.is_inside());
  const Fence first = mutex.fence();
  mutex.unlock();
  EXPECT_TRUE(comes_about([&] { return theirs.is_inside(); }));
  auto future = granted.get_future();
  EXPECT_EQ(future.wait_for(100ms), std::future_status::timeout) << "it came before us";
  theirs.end();
  EXPECT_EQ(future.get(), std::error_code{});
  EXPECT_LT(first, behind.fence());
  behind.unlock();
}

TEST(ZooKeeperLocks, ReadersAreInsideTogetherAndWritersAlone) {
  Client client{zookeeper().url().text()};
  Client other{zookeeper().url().text()};
  SharedMutex one{client, "report"};
  SharedMutex two{other, "report"};
  one.lock_shared();
  EXPECT_TRUE(two.try_lock_shared_for(20s));
  Mutex writer{client, "report"};
  EXPECT_FALSE(writer.try_lock_for(200ms));
  two.unlock_shared();
  EXPECT_FALSE(writer.try_lock_for(200ms));
  one.unlock_shared();
  EXPECT_TRUE(writer.try_lock_for(20s));
  EXPECT_FALSE(two.try_lock_shared_for(200ms));
  writer.unlock();
}

TEST(ZooKeeperLocks, AreLostBeforeTheSessionIsOverIfZooKeeperIsSilent) {
  Client client{options_for(zookeeper().url().text(), 2s)};
  Mutex mutex{client, "silent"};
  mutex.lock();
  zookeeper().signal(0, SIGSTOP);
  const auto stopped = std::chrono::steady_clock::now();
  EXPECT_TRUE(comes_about([&] { return mutex.lost().stop_requested(); }));
  EXPECT_LT(std::chrono::steady_clock::now() - stopped, 2s + 500ms);
  Mutex same{client, "silent"};
  EXPECT_EQ(same.acquire_until(std::chrono::steady_clock::now() + 100ms, {}), Errc::unavailable);
  zookeeper().signal(0, SIGCONT);
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_for(20s)) << "it comes back by itself";
  mutex.unlock();
}

TEST(ZooKeeperLocks, SurviveTheLossOfOneServerOfThree) {
  Ensemble ensemble{3};
  ASSERT_TRUE(answers(ensemble));
  ASSERT_TRUE(comes_about([&] { return ensemble.leader() < 3; }));
  Client client{options_for(ensemble.url().text(), 10s)};
  Mutex mutex{client, "three"};
  mutex.lock();
  ensemble.kill(ensemble.leader());
  Client other{options_for(ensemble.url().text(), 10s)};
  Mutex same{other, "three"};
  EXPECT_EQ(same.acquire_until(std::chrono::steady_clock::now() + 3s, {}), Errc::timed_out);
  EXPECT_FALSE(mutex.lost().stop_requested());
  const Fence before = mutex.fence();
  mutex.unlock();
  EXPECT_TRUE(same.try_lock_for(20s));
  EXPECT_LT(before, same.fence());
  same.unlock();
}

TEST(ZooKeeperLocks, RefuseNamesThatNoZnodeCanHave) {
  Client client{zookeeper().url().text()};
  Mutex mutex{client, "a//b"};
  EXPECT_EQ(mutex.acquire_until(std::chrono::steady_clock::now() + 5s, {}), Errc::refused);
  EXPECT_THROW(Client{"zookeeper://127.0.0.1:1"}, std::system_error);
}

[[maybe_unused]] const auto* const kNeedsZooKeeper =
    ::testing::AddGlobalTestEnvironment(new engine::testing::NeedsZooKeeper);

}  // namespace
}  // namespace hapax::testing
