// Locks on real ZooKeeper servers, beside kazoo.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <regex>
#include <string>
#include <thread>

#include "base/child.h"
#include "base/testing/folder.h"
#include "direct/testing/files.h"
#include "direct_zookeeper/zookeeper_gateway.h"
#include "handles/gateway_makers.h"
#include "handles/testing/contract.h"
#include "handles/testing/semaphore_contract.h"
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

ClientOptions with_pairs() {
  ClientOptions options = options_for(zookeeper().url().text(), 4s);
  options.engine_units = "pair/*=2";
  return options;
}

INSTANTIATE_TEST_SUITE_P(ZooKeeper, SemaphoreContract,
                         ::testing::Values(UnitGate{"zookeeper", with_pairs}));

TEST(ZooKeeperSemaphore, NeedsToBeToldHowManyThereAre) {
  Client client{zookeeper().url().text()};
  Semaphore pool{client, "pool"};
  try {
    pool.acquire();
    ADD_FAILURE() << "nobody knows how many there are";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), Errc::refused);
    EXPECT_THAT(e.what(), HasSubstr("--engine-units"));
  }
  ClientOptions options = options_for(zookeeper().url().text(), 4s);
  options.engine_units = "pool=many";
  EXPECT_THROW(Client{options}, std::system_error);
}

TEST(ZooKeeperFiles, AreThoseOfAGroupAndItsDaemons) {
  Client one{zookeeper().url().text()}, other{zookeeper().url().text()};
  expect_files(one, other);
}

constexpr const char* kPython = "/usr/bin/python3";  // Debian's, whose packages has kazoo.

bool has_kazoo() { return std::system("/usr/bin/python3 -c 'import kazoo' 2>/dev/null") == 0; }

// A program that uses kazoo: it says when it has begun, and ends when it is told to.
class Kazoo {
 public:
  // `work` is Python, with a client `c`, a function begun(text) and one that waits, end().
  Kazoo(const Ensemble& ensemble, const Folder& folder, const std::string& work)
      : begun_(folder / "begun"),
        end_(folder / "end"),
        child_(Child::logging_to(
            folder / "log", "kazoo",
            {.words = {kPython, "-c",
                       fmt::format("import os, re, time, uuid, kazoo.client\n"
                                   "c = kazoo.client.KazooClient(hosts='{}')\n"
                                   "c.start()\n"
                                   "def begun(text='x'):\n"
                                   "  open('{}', 'w').write(text)\n"
                                   "def end():\n"
                                   "  while not os.path.exists('{}'): time.sleep(0.02)\n"
                                   "{}\n"
                                   "c.stop()\n",
                                   ensemble.url().endpoints[0].text(), begun_.string(),
                                   end_.string(), work)}})) {}
  bool has_begun() const { return !said().empty(); }
  std::string said() const {
    std::ifstream file{begun_};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  void end() {
    std::ofstream{end_}.put('x');
    child_.wait_for_end(20s);
  }

 private:
  const std::filesystem::path begun_;
  const std::filesystem::path end_;
  Child child_;
};

// As Curator's InterProcessSemaphoreV2 does, of whose recipe only the znodes are seen by others.
TEST(ZooKeeperSemaphore, CountsTheLeasesOfCuratorsClients) {
  if (!has_kazoo()) GTEST_SKIP() << "no kazoo to test against: install python3-kazoo";
  const Folder folder;
  Kazoo theirs{zookeeper(), folder,
               "c.ensure_path('/pair/curator/leases')\n"
               "own = c.create('/pair/curator/leases/_c_%s-lease-' % uuid.uuid4(), b'10.0.0.7',\n"
               "               ephemeral=True, sequence=True)\n"
               "while len(c.get_children('/pair/curator/leases')) < 2: time.sleep(0.02)\n"
               "while c.get_children('/pair/curator/locks'): time.sleep(0.02)\n"
               "begun(' '.join(c.get_children('/pair/curator/leases')))\n"
               "end()"};
  Client client{with_pairs()};
  ASSERT_TRUE(comes_about([&] { return !client.who("pair/curator").empty(); }));
  Semaphore ours{client, "pair/curator"};
  ours.acquire();
  ASSERT_TRUE(comes_about([&] { return theirs.has_begun(); })) << "and we have left the line";
  const std::string leases = theirs.said();
  const std::regex lease{"_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-lease-[0-9]{10}"};
  EXPECT_EQ(std::distance(std::sregex_iterator{leases.begin(), leases.end(), lease}, {}), 2)
      << leases;
  EXPECT_FALSE(ours.try_acquire()) << "the other unit is theirs";
  const auto who = client.who("pair/curator");
  ASSERT_EQ(who.size(), 1u);
  EXPECT_EQ(who[0].sharers.size(), 2u);
  EXPECT_EQ(who[0].sharers[0].command, "10.0.0.7");
  auto waiting = std::async(std::launch::async, [&] { return ours.try_acquire_for(20s); });
  std::this_thread::sleep_for(100ms);
  theirs.end();
  EXPECT_TRUE(waiting.get());
}

TEST(ZooKeeperLocks, AreInOneLineWithKazoo) {
  if (!has_kazoo()) GTEST_SKIP() << "no kazoo to test against: install python3-kazoo";
  const Folder folder;
  Client client{zookeeper().url().text()};
  Mutex mutex{client, "shared/with-kazoo"};
  mutex.lock();
  Kazoo theirs{zookeeper(), folder,
               "with c.Lock('/shared/with-kazoo', 'kazoo-1'):\n"
               "  begun()\n"
               "  end()"};
  ASSERT_TRUE(comes_about([&] { return client.who("shared/with-kazoo")[0].waiters.size() == 1; }));
  Mutex behind{client, "shared/with-kazoo"};
  std::promise<std::error_code> granted;
  behind.async_acquire([&](std::error_code error) { granted.set_value(error); });
  ASSERT_TRUE(comes_about([&] { return client.who("shared/with-kazoo")[0].waiters.size() == 2; }));
  EXPECT_EQ(client.who("shared/*")[0].waiters[0].command, "kazoo-1");
  EXPECT_FALSE(theirs.has_begun());
  const Fence first = mutex.fence();
  mutex.unlock();
  EXPECT_TRUE(comes_about([&] { return theirs.has_begun(); }));
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
