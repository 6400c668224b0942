// Locks that stay with a client of a daemon after an unlock: entered again without a message, and
// taken back without asking.
#include <atomic>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "client/connection.h"
#include "client/testing/engine_daemons.h"
#include "client/testing/eventually.h"
#include "client/testing/group.h"
#include "client/testing/other_process.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::eventually;
using client::testing::OtherProcess;

class KeptByClients : public ::testing::Test {
 protected:
  // Twice: most take a lock once, so only then is it kept.
  static Fence warm(Mutex& mutex) {
    mutex.lock();
    mutex.unlock();
    mutex.lock();
    const Fence fence = mutex.fence();
    mutex.unlock();
    return fence;
  }
  static std::uint64_t turn(const Fence& fence) { return number(fence.turn); }

  Daemons daemons_{2};
};

TEST_F(KeptByClients, EnterAgainWithoutAMessageAndWithTheNextTurn) {
  Client client{daemons_.address(0)};
  Mutex mutex{client, "orders"};
  const Fence kept = warm(mutex);
  const auto asked = [&] { return Client{daemons_.address(0)}.status().entries; };
  const std::uint64_t told = asked();
  const std::uint64_t before = turn(kept);
  for (std::uint64_t i = 1; i <= 1'000; ++i) {
    const std::scoped_lock lock{mutex};
    ASSERT_EQ(mutex.fence().epoch, kept.epoch);
    ASSERT_EQ(turn(mutex.fence()), before + i);
    ASSERT_FALSE(mutex.lost().stop_requested());
    ASSERT_GT(mutex.valid_for(), 0ms);
  }
  EXPECT_EQ(asked(), told) << "the daemon has heard of none of them";
}

TEST_F(KeptByClients, IsSharedByTheHandlesOfAName) {
  Client client{daemons_.address(0)};
  Mutex one{client, "orders"};
  Mutex other{client, "orders"};
  const Fence kept = warm(one);
  const std::scoped_lock lock{other};
  EXPECT_EQ(turn(other.fence()), turn(kept) + 1);
  EXPECT_FALSE(one.try_lock_for(50ms));
}

TEST_F(KeptByClients, IsTakenBackForOthersWhereverTheyAre) {
  Client client{daemons_.address(0)};
  for (const std::uint32_t at : {0u, 1u}) {
    Mutex mutex{client, "orders"};
    Fence last = warm(mutex);
    {
      const std::scoped_lock lock{mutex};
      last = mutex.fence();
    }
    Client second{daemons_.address(at)};
    Mutex theirs{second, "orders"};
    ASSERT_TRUE(theirs.try_lock_for(20s));
    EXPECT_GT(theirs.fence(), last);
    EXPECT_FALSE(mutex.try_lock_for(50ms)) << "it is not ours any more";
    const Fence between = theirs.fence();
    theirs.unlock();
    const std::scoped_lock lock{mutex};
    EXPECT_GT(mutex.fence(), between);
  }
}

// What is taken back is over: its token is not kept for ever by a client that goes on for months.
TEST_F(KeptByClients, IsForgottenWhenItWasTakenBack) {
  Client client{daemons_.address(0)};
  Client second{daemons_.address(1)};
  Mutex theirs{second, "orders"};
  std::stop_token last;
  {
    Mutex mutex{client, "orders"};
    const auto take = [&] {
      warm(mutex);
      const std::scoped_lock lock{mutex};
      return mutex.lost();
    };
    const std::stop_token before = take();
    EXPECT_TRUE(before.stop_possible());
    ASSERT_TRUE(theirs.try_lock_for(20s));
    theirs.unlock();
    last = take();
    EXPECT_FALSE(before.stop_possible()) << "nobody can fire it any more";
    EXPECT_TRUE(last.stop_possible());
    ASSERT_TRUE(theirs.try_lock_for(20s));
    theirs.unlock();
  }
  EXPECT_FALSE(last.stop_possible()) << "nor that of a Mutex that is gone";
}

TEST_F(KeptByClients, IsShownAsKeptAndBrokenByTheFenceOfItsLastEntry) {
  Client client{daemons_.address(0)};
  Mutex mutex{client, "orders"};
  warm(mutex);
  Client looks{daemons_.address(1)};
  const auto holder = [&] {
    const auto locks = looks.who("orders");
    return locks.empty() ? std::nullopt : locks.front().holder;
  };
  ASSERT_TRUE(holder());
  EXPECT_FALSE(holder()->fence) << "nobody is inside";
  mutex.lock();
  ASSERT_TRUE(holder());
  EXPECT_EQ(holder()->fence, mutex.fence()) << "not the one that it was granted with";
  const std::stop_token lost = mutex.lost();
  looks.break_lock("orders", mutex.fence());
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
  const Fence broken = mutex.fence();
  mutex.unlock();
  mutex.lock();
  EXPECT_GT(mutex.fence(), broken);
  mutex.unlock();
}

TEST_F(KeptByClients, IsGivenBackByTheUnlockIfSomebodyWaits) {
  Client client{daemons_.address(0)};
  Mutex mutex{client, "orders"};
  warm(mutex);
  for (int round = 0; round < 20; ++round) {
    mutex.lock();
    const Fence ours = mutex.fence();
    Client second{daemons_.address(static_cast<std::uint32_t>(round % 2))};
    Mutex theirs{second, "orders"};
    std::atomic<bool> is_in{false};
    std::thread waits{[&] {
      theirs.lock();
      is_in = true;
      EXPECT_GT(theirs.fence(), ours);
      theirs.unlock();
    }};
    std::this_thread::sleep_for(10ms);
    EXPECT_FALSE(is_in);
    mutex.unlock();
    waits.join();
    mutex.lock();
    mutex.unlock();
    mutex.lock();  // It is kept again.
    mutex.unlock();
  }
}

// Many processes' worth of threads: nobody is inside twice, and fences only grow.
TEST_F(KeptByClients, LetsNoTwoIn) {
  std::atomic<int> inside{0};
  std::atomic<std::uint64_t> entries{0};
  std::mutex seen;
  Fence last;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      Client client{daemons_.address(i % 2)};
      Mutex mutex{client, "orders"};
      for (int round = 0; round < 60; ++round) {
        for (int again = 0; again < 5; ++again) {
          const std::scoped_lock lock{mutex};
          EXPECT_EQ(inside.fetch_add(1), 0);
          {
            const std::scoped_lock guard{seen};
            EXPECT_GT(mutex.fence(), last);
            last = mutex.fence();
          }
          ++entries;
          inside.fetch_sub(1);
        }
        std::this_thread::sleep_for(std::chrono::microseconds{100 * i});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entries, 6u * 60 * 5);
}

// Takes the lock three times, and is then inside once more or only keeps it.
OtherProcess other_process(bool is_inside) {
  return OtherProcess{"orders", [is_inside](Mutex& mutex) {
                        for (int i = 0; i < 3; ++i) {
                          mutex.lock();
                          mutex.unlock();
                        }
                        if (is_inside) mutex.lock();
                      }};
}

TEST(KeptByOthers, IsTakenBackFromAProcessThatIsStopped) {
  const OtherProcess other = other_process(false);
  const Daemons daemons{2};
  ASSERT_TRUE(other.use_lock(daemons.address(0)));
  other.signal(SIGSTOP);
  Client client{daemons.address(1)};
  Mutex mutex{client, "orders"};
  ASSERT_TRUE(mutex.try_lock_for(20s));
  EXPECT_GE(number(mutex.fence().turn), 4u) << "after three of its own";
  mutex.unlock();
}

TEST(KeptByOthers, IsFreeWhenItsProcessDies) {
  for (const bool is_inside : {false, true}) {
    const OtherProcess other = other_process(is_inside);
    const Daemons daemons{2};
    ASSERT_TRUE(other.use_lock(daemons.address(0)));
    Client client{daemons.address(0)};
    Mutex mutex{client, "orders"};
    if (is_inside) {
      EXPECT_FALSE(mutex.try_lock_for(100ms));
      other.signal(SIGKILL);
    }
    ASSERT_TRUE(mutex.try_lock_for(20s));
    EXPECT_GE(number(mutex.fence().turn), is_inside ? 5u : 4u);
    mutex.unlock();
  }
}

// --- what a client may do to the memory that it shares ---

// A connection whose words the test writes to.
TEST_F(KeptByClients, WhoWritesThereHurtsOnlyItself) {
  using client::Connection;
  const std::string path = daemons_.address(0).substr(5);
  Connection hostile{net::Address{.host = "", .port = 0, .path = path}, {}, 1};
  const auto acquire = [&](std::uint32_t word) {
    detail::Holding holding;
    std::string why;
    EXPECT_FALSE(hostile.acquire("orders", Want::exclusive, std::chrono::steady_clock::now() + 20s,
                                 {}, holding, why, word));
    return holding;
  };
  const std::uint32_t word = hostile.words().take();
  ASSERT_NE(word, 0u);
  Fence last{};
  for (const std::uint64_t lie :
       {kept::word_of(kept::State::kept, ~std::uint64_t{0} >> 2),
        kept::word_of(kept::State::kept, 0), kept::word_of(kept::State::away, 7),
        kept::word_of(kept::State::used, std::uint64_t{1} << 50), ~std::uint64_t{0}}) {
    const detail::Holding holding = acquire(word);
    ASSERT_NE(holding.entry, 0u);
    ASSERT_NE(hostile.words().find(word), nullptr);
    EXPECT_GT(holding.fence, last);
    // A fence that ran away would be the end of the lock.
    EXPECT_LT(number(holding.fence.turn), std::uint64_t{1} << 40);
    last = holding.fence;
    hostile.words().find(word)->store(lie);
    if (kept::state_of(lie) != kept::State::kept) hostile.release(holding);
    Client client{daemons_.address(1)};
    Mutex mutex{client, "orders"};
    ASSERT_TRUE(mutex.try_lock_for(20s));
    EXPECT_GT(mutex.fence(), last);
    last = mutex.fence();
    mutex.unlock();
  }
  // A word that there is not is as good as none.
  for (const std::uint32_t none : {257u, 4'000'000'000u}) {
    const detail::Holding holding = acquire(none);
    EXPECT_EQ(holding.entry, 0u);
    hostile.release(holding);
  }
  // One word for two locks: the second is granted without.
  const detail::Holding first = acquire(word);
  detail::Holding second;
  std::string why;
  EXPECT_FALSE(hostile.acquire("stock", Want::exclusive, std::chrono::steady_clock::now() + 20s, {},
                               second, why, word));
  EXPECT_EQ(second.entry, 0u);
  hostile.release(second);
  hostile.release(first);
  EXPECT_TRUE(eventually([&] {
    Client client{daemons_.address(1)};
    return Mutex{client, "orders"}.try_lock_for(100ms);
  }));
}

// --- on an engine ---

TEST(KeptOnAnEngine, IsTakenBackWhenTheViewChanges) {
  EngineDaemons daemons{2};
  ASSERT_TRUE(eventually([&] { return daemons.are_in_one_view(); }));
  Client client{daemons.address(0)};
  Mutex mutex{client, "orders"};
  for (int i = 0; i < 3; ++i) {
    const std::scoped_lock lock{mutex};
  }
  mutex.lock();
  const Fence before = mutex.fence();
  mutex.unlock();
  daemons.start(2);
  ASSERT_TRUE(eventually([&] { return daemons.are_in_one_view(); }));
  Client second{daemons.address(2)};
  Mutex theirs{second, "orders"};
  ASSERT_TRUE(theirs.try_lock_for(20s));
  EXPECT_GT(theirs.fence(), before);
  EXPECT_FALSE(mutex.try_lock_for(50ms));
  theirs.unlock();
  EXPECT_TRUE(mutex.try_lock_for(20s));
  EXPECT_GT(mutex.fence(), before);
  mutex.unlock();
}

// A daemon that leaves waits for those inside, and not for those who only keep a lock.
TEST(KeptOnAnEngine, DoesNotDelayADaemonThatLeaves) {
  EngineDaemons daemons{2};
  ASSERT_TRUE(eventually([&] { return daemons.are_in_one_view(); }));
  Client client{daemons.address(0)};
  Mutex mutex{client, "orders"};
  for (int i = 0; i < 3; ++i) {
    const std::scoped_lock lock{mutex};
  }
  const auto begun = std::chrono::steady_clock::now();
  Client{daemons.address(0)}.leave_group(60s);
  Client second{daemons.address(1)};
  Mutex theirs{second, "orders"};
  ASSERT_TRUE(theirs.try_lock_for(20s));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
  EXPECT_NE(mutex.acquire_until(std::chrono::steady_clock::now() + 50ms, {}), std::error_code{});
  theirs.unlock();
}

// Its daemon dies: what it kept is not entered when its promise is over, and others get in then.
TEST(KeptOnAnEngine, IsLostWithItsDaemon) {
  EngineDaemons daemons{2, 1s};
  ASSERT_TRUE(eventually([&] { return daemons.are_in_one_view(); }));
  Client client{daemons.address(0)};
  Mutex mutex{client, "orders"};
  for (int i = 0; i < 3; ++i) {
    const std::scoped_lock lock{mutex};
  }
  daemons.stop(0);
  Client second{daemons.address(1)};
  Mutex theirs{second, "orders"};
  ASSERT_TRUE(theirs.try_lock_for(20s));
  EXPECT_EQ(mutex.acquire_until(std::chrono::steady_clock::now() + 50ms, {}), Errc::lost);
  theirs.unlock();
}

}  // namespace
}  // namespace hapax
