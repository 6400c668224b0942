// Several threads on one SharedMutex or Semaphore: each has its own grant, and one that was lost is
// not taken for what another thread has got since.
#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "base/testing/folder.h"
#include "client/testing/eventually.h"
#include "client/testing/node_views.h"
#include "client/testing/scripted_daemon.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::eventually;
using client::testing::NodeViews;
using client::testing::Outage;
using client::testing::ScriptedDaemon;

void get(SharedMutex& lock) { lock.lock(); }
void give_back(SharedMutex& lock) { lock.unlock(); }
void get(Semaphore& pool) { pool.acquire(); }
void give_back(Semaphore& pool) { pool.release(); }

// A thread gets the lock, loses it by `lose`, and gives it back when this thread has got it.
template <class Lock, class Lose>
void lose_and_give_back_while_another_holds(Lock& lock, Lose lose) {
  std::atomic<int> step = 0;
  const auto await = [&step](int wanted) {
    EXPECT_TRUE(eventually([&] { return step.load() == wanted; }));
  };
  std::thread first{[&] {
    get(lock);
    const Fence fence = lock.fence();
    step = 1;
    await(2);
    EXPECT_EQ(lock.fence(), fence);
    EXPECT_TRUE(lock.lost().stop_requested());
    EXPECT_EQ(lock.valid_for(), 0ms);
    give_back(lock);
    step = 3;
  }};
  await(1);
  const std::stop_token lost = lock.lost();
  lose();
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
  get(lock);
  EXPECT_FALSE(lock.lost().stop_requested());
  EXPECT_GT(lock.valid_for(), 0ms);
  const Fence fence = lock.fence();
  step = 2;
  await(3);
  EXPECT_EQ(lock.fence(), fence);
  EXPECT_FALSE(lock.lost().stop_requested());
  first.join();
}

class OwnGrants : public ::testing::Test {
 protected:
  template <class Lock>
  void check(Lock& lock) {
    lose_and_give_back_while_another_holds(
        lock, [&] { daemon_.tell(session::Lost{daemon_.granted().back()}); });
    const auto granted = daemon_.granted();
    ASSERT_GE(granted.size(), 2u);
    const auto is_released = [&](std::size_t from_last) {
      return daemon_.released().size() == granted.size() - from_last &&
             daemon_.released().back() == granted[granted.size() - from_last - 1];
    };
    EXPECT_TRUE(eventually([&] { return is_released(1); })) << "the first thread's, and no other";
    give_back(lock);
    EXPECT_TRUE(eventually([&] { return is_released(0); }));
  }

  const testing::Folder folder_;
  ScriptedDaemon daemon_{(folder_ / "socket").string()};
};

TEST_F(OwnGrants, AreGivenBackByTheThreadThatHasThem) {
  Client client{"unix:" + (folder_ / "socket").string()};
  SharedMutex shared{client, "one"};
  check(shared);
  Semaphore pool{client, "two"};
  check(pool);
}

// Of those that nobody here has, one that is lost goes first: it lets nobody in.
TEST_F(OwnGrants, OfOtherThreadsAreGivenBackIfTheyAreUnits) {
  Client client{"unix:" + (folder_ / "socket").string()};
  Semaphore pool{client, "two"};
  for (int i = 0; i < 3; ++i) std::thread{[&] { pool.acquire(); }}.join();
  const auto granted = daemon_.granted();
  daemon_.tell(session::Lost{granted[1]});
  EXPECT_TRUE(eventually([&] { return pool.lost().stop_requested(); }));
  pool.release();
  EXPECT_TRUE(eventually([&] { return daemon_.released().size() == 1; }));
  EXPECT_EQ(daemon_.released().back(), granted[1]);
  EXPECT_FALSE(pool.lost().stop_requested());
}

TEST_F(OwnGrants, AreNotGivenBackByAnotherThreadThatLocksOnlyForItself) {
  Client client{"unix:" + (folder_ / "socket").string()};
  SharedMutex shared{client, "one"};
  std::thread{[&] { shared.lock(); }}.join();
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // The client has threads.
  EXPECT_DEATH(shared.unlock(), "SharedMutex::unlock on one: it is held, but not by this thread");
  EXPECT_DEATH(shared.unlock_shared(), "SharedMutex::unlock_shared on one: it is not held");
}

TEST_F(NodeViews, GiveBackTheirThreadsOwnGrants) {
  start(2);
  const auto lose = [&] {
    const Outage outage{file()};
    EXPECT_TRUE(eventually([&] { return (*this)[0].status().view->lease == 0ms; }));
  };
  const auto check = [&](auto& mine, auto& others) {
    lose_and_give_back_while_another_holds(mine, lose);
    const bool is_another_in = others();
    EXPECT_FALSE(is_another_in && !mine.lost().stop_requested());
    if (is_another_in) return;
    give_back(mine);
    EXPECT_TRUE(eventually(others));
  };
  SharedMutex shared{(*this)[0], "reports/1"};
  SharedMutex same{(*this)[1], "reports/1"};
  const auto soon = [] { return Mutex::Clock::now() + 250ms; };
  const auto lock_same = [&] { return !same.acquire_until(soon(), {}); };
  check(shared, lock_same);
  Semaphore pool{(*this)[0], "pool/1"};
  Semaphore same_pool{(*this)[1], "pool/1"};
  const auto get_same = [&] { return !same_pool.acquire_until(soon(), {}); };
  check(pool, get_same);
}

}  // namespace
}  // namespace hapax
