// Clients against real daemons over real sockets, all in one process.
#include <atomic>
#include <condition_variable>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "catalog/catalog.h"
#include "client/testing/group.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;

TEST(Client, LocksAndUnlocks) {
  Daemons group{3};
  Client client{group.address(0)};
  Mutex mutex{client, "orders/42"};
  Fence last;
  for (int i = 0; i < 3; ++i) {
    const std::scoped_lock lock{mutex};
    EXPECT_LT(last, mutex.fence());
    last = mutex.fence();
    EXPECT_GT(mutex.valid_for(), 0ms);
    EXPECT_FALSE(mutex.lost().stop_requested());
  }
}

TEST(Client, ExcludesThreadsOfAllMembersWithEveryAlgorithm) {
  for (const Operations* any : algorithms()) {
    if (any->shared || any->info.can_deadlock) continue;
    const std::string_view algorithm = any->info.name;
    Daemons group{3, Policy::parse(algorithm, {}).value()};
    std::atomic<int> inside{0};
    std::atomic<int> entries{0};
    Fence last;
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        Client client{group.address(t % 3)};
        Mutex mutex{client, "one"};
        for (int i = 0; i < 20; ++i) {
          const std::scoped_lock lock{mutex};
          EXPECT_EQ(inside.fetch_add(1), 0) << algorithm;
          EXPECT_LT(last, mutex.fence()) << algorithm;
          last = mutex.fence();
          ++entries;
          inside.fetch_sub(1);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(entries, 120) << algorithm;
  }
}

TEST(Client, GivesUpInTimeAndServesTheNext) {
  Daemons group{2};
  Client one{group.address(0)};
  Client two{group.address(1)};
  Mutex mine{one, "it"};
  Mutex yours{two, "it"};
  mine.lock();
  EXPECT_FALSE(yours.try_lock_for(50ms));
  EXPECT_FALSE(yours.try_lock());
  std::stop_source stop;
  std::thread canceller{[&] {
    std::this_thread::sleep_for(30ms);
    stop.request_stop();
  }};
  EXPECT_EQ(yours.acquire_until(Mutex::Clock::now() + 60s, stop.get_token()), Errc::cancelled);
  canceller.join();
  mine.unlock();
  EXPECT_TRUE(yours.try_lock_for(5s));
  yours.unlock();
}

TEST(Client, WhoeverIsGoneHoldsNothing) {
  Daemons group{2};
  Client two{group.address(1)};
  Mutex yours{two, "it"};
  {
    Client one{group.address(0)};
    Mutex mine{one, "it"};
    mine.lock();
    EXPECT_FALSE(yours.try_lock_for(50ms));
  }
  EXPECT_TRUE(yours.try_lock_for(5s));
}

TEST(Client, LearnsThatItsDaemonIsGone) {
  Daemons group{1};
  Client client{group.address(0)};
  Mutex mutex{client, "it"};
  mutex.lock();
  std::mutex m;
  std::condition_variable cv;
  bool fired = false;
  const std::stop_callback on_loss{mutex.lost(), [&] {
                                     const std::lock_guard lock{m};
                                     fired = true;
                                     cv.notify_one();
                                   }};
  group.stop(0);
  std::unique_lock lock{m};
  EXPECT_TRUE(cv.wait_for(lock, 10s, [&] { return fired; }));
  EXPECT_EQ(mutex.valid_for(), 0ms);
  Mutex other{client, "other"};
  EXPECT_THROW(other.lock(), std::system_error);
}

TEST(Client, TellsWhoHoldsAndWhoWaits) {
  Daemons group{3};
  Client one{group.address(0)};
  Client two{group.address(2)};
  Mutex mine{one, "it"};
  mine.lock();
  std::stop_source stop;
  std::thread waiter{[&] {
    Mutex yours{two, "it"};
    EXPECT_EQ(yours.acquire_until(Mutex::Clock::now() + 60s, stop.get_token()), Errc::cancelled);
  }};
  std::vector<LockInfo> locks;
  for (int i = 0; i < 200 && (locks.empty() || locks[0].waiters.empty()); ++i) {
    std::this_thread::sleep_for(10ms);
    locks = one.who("it");
  }
  ASSERT_EQ(locks.size(), 1u);
  ASSERT_TRUE(locks[0].holder.has_value());
  EXPECT_EQ(locks[0].holder->member, 1u);
  EXPECT_EQ(locks[0].holder->pid, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(locks[0].holder->fence, mine.fence());
  ASSERT_EQ(locks[0].waiters.size(), 1u);
  EXPECT_EQ(locks[0].waiters[0].member, 3u);
  EXPECT_EQ(two.who().size(), 1u);
  const GroupStatus status = two.status();
  EXPECT_EQ(status.size, 3u);
  EXPECT_EQ(status.member, 3u);
  EXPECT_EQ(status.up, (std::vector<bool>{true, true, true}));
  stop.request_stop();
  waiter.join();
}

TEST(Node, ExcludesThreadsOfAllMembersWithGrowingFences) {
  for (const std::string algorithm : {"carvalho-roucairol", "ricart-agrawala", "naimi-trehel"}) {
    Nodes nodes{3, algorithm};
    std::atomic<int> inside{0};
    int entries = 0;
    Fence last;
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        Mutex mutex{nodes[t % 3], "one"};
        for (int i = 0; i < 200; ++i) {
          const std::scoped_lock lock{mutex};
          EXPECT_EQ(inside.fetch_add(1), 0);
          EXPECT_LT(last, mutex.fence());
          last = mutex.fence();
          ++entries;
          inside.fetch_sub(1);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(entries, 1200) << algorithm;
  }
}

TEST(Node, KeepsWhatNobodyElseWantsAndGivesItWhenTheyDo) {
  Nodes nodes{2};
  Mutex mine{nodes[0], "it"};
  Mutex yours{nodes[1], "it"};
  Fence last;
  for (int i = 0; i < 10'000; ++i) {
    mine.lock();
    EXPECT_LT(last, mine.fence());
    last = mine.fence();
    mine.unlock();
  }
  ASSERT_TRUE(yours.try_lock_for(10s));
  EXPECT_LT(last, yours.fence());
  EXPECT_FALSE(mine.try_lock_for(30ms));
  yours.unlock();
  ASSERT_TRUE(mine.try_lock_for(10s));
  EXPECT_LT(last, mine.fence());
  mine.unlock();
}

TEST(Node, ReleasesWhatItKeepsWhenItLeaves) {
  Nodes nodes{2};
  {
    Mutex mine{nodes[0], "it"};
    mine.lock();
    mine.unlock();
  }
  Mutex yours{nodes[1], "it"};
  std::thread leaver{[&] {
    std::this_thread::sleep_for(50ms);
    nodes.leave(0);
  }};
  EXPECT_TRUE(yours.try_lock_for(10s));
  leaver.join();
}

// Threads of one member that wait for different locks: one of them drives the loop for all.
TEST(Node, ServesManyThreadsThatWaitAtOnce) {
  Nodes nodes{3, "ricart-agrawala"};
  std::vector<std::thread> threads;
  std::atomic<int> entries{0};
  for (std::uint32_t t = 0; t < 12; ++t) {
    threads.emplace_back([&, t] {
      Mutex own{nodes[t % 3], fmt::format("own-{}", t)};
      Mutex shared{nodes[t % 3], "shared"};
      for (int i = 0; i < 50; ++i) {
        const std::scoped_lock lock{own, shared};
        ++entries;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entries, 600);
}

TEST(Node, GivesUpInTimeOrWhenCancelledWhoeverDrives) {
  Nodes nodes{2, "ricart-agrawala"};
  Mutex theirs{nodes[1], "it"};
  theirs.lock();
  // One that drives the loop, and one that another drives it for.
  std::vector<std::thread> threads;
  std::stop_source stop;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      Mutex mine{nodes[0], "it"};
      EXPECT_FALSE(mine.try_lock_for(50ms));
      EXPECT_EQ(mine.acquire_until(Mutex::Clock::now() + 60s, stop.get_token()), Errc::cancelled);
      EXPECT_EQ(mine.acquire_until(Mutex::Clock::now() + 60s, stop.get_token()), Errc::cancelled);
    });
  }
  std::this_thread::sleep_for(150ms);
  stop.request_stop();
  for (std::thread& thread : threads) thread.join();
  theirs.unlock();
  Mutex mine{nodes[0], "it"};
  EXPECT_TRUE(mine.try_lock_for(10s));
}

// Counts down from any thread.
class Countdown {
 public:
  explicit Countdown(int from) : left_(from) {}
  void step() {
    const std::lock_guard lock{mutex_};
    if (--left_ == 0) over_.notify_all();
  }
  bool wait() {
    std::unique_lock lock{mutex_};
    return over_.wait_for(lock, 30s, [&] { return left_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  int left_;
};

// Takes its lock again and again without a thread of its own.
class Persistent {
 public:
  template <class Way>
  Persistent(Way& way, const std::string& name, std::atomic<int>& inside, Countdown& countdown)
      : mutex_(way, name), inside_(inside), countdown_(countdown) {}
  void ask() {
    mutex_.async_acquire([this](std::error_code error) {
      EXPECT_FALSE(error) << error.message();
      EXPECT_EQ(inside_.fetch_add(1), 0);
      EXPECT_LT(last_, mutex_.fence());
      last_ = mutex_.fence();
      inside_.fetch_sub(1);
      mutex_.unlock();
      if (--left_ > 0) ask();
      countdown_.step();  // Last: the thread that waits may end this.
    });
  }

  static constexpr int kTimes = 100;

 private:
  Mutex mutex_;
  std::atomic<int>& inside_;
  Countdown& countdown_;
  Fence last_;
  int left_ = kTimes;
};

TEST(Async, ExcludesAndServesEverybody) {
  for (const std::string algorithm : {"carvalho-roucairol", "ricart-agrawala", "naimi-trehel"}) {
    Nodes nodes{3, algorithm};
    std::atomic<int> inside{0};
    Countdown countdown{6 * Persistent::kTimes};
    std::vector<std::unique_ptr<Persistent>> all;
    for (std::uint32_t i = 0; i < 6; ++i) {
      all.push_back(std::make_unique<Persistent>(nodes[i % 3], "one", inside, countdown));
      all.back()->ask();
    }
    ASSERT_TRUE(countdown.wait()) << algorithm;
  }
}

TEST(Async, WorksThroughADaemon) {
  Daemons group{3};
  std::vector<std::unique_ptr<Client>> clients;
  std::atomic<int> inside{0};
  Countdown countdown{3 * Persistent::kTimes};
  std::vector<std::unique_ptr<Persistent>> all;
  for (std::uint32_t i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<Client>(group.address(i)));
    all.push_back(std::make_unique<Persistent>(*clients.back(), "one", inside, countdown));
    all.back()->ask();
  }
  ASSERT_TRUE(countdown.wait());
}

TEST(Async, CanBeCancelledAndMustNotWait) {
  Daemons group{1};
  Client client{group.address(0)};
  Nodes nodes{2};
  const auto check = [](Mutex& holder, Mutex& waiter, Mutex& other) {
    holder.lock();
    std::stop_source stop;
    Countdown cancelled{1};
    waiter.async_acquire(
        [&](std::error_code error) {
          EXPECT_EQ(error, Errc::cancelled);
          cancelled.step();
        },
        stop.get_token());
    stop.request_stop();
    EXPECT_TRUE(cancelled.wait());
    // Asked to stop before it asks: that is cancelled, too, and nothing stays behind.
    Countdown again{1};
    waiter.async_acquire(
        [&](std::error_code error) {
          EXPECT_EQ(error, Errc::cancelled);
          again.step();
        },
        stop.get_token());
    EXPECT_TRUE(again.wait());
    holder.unlock();
    Countdown done{1};
    waiter.async_acquire([&](std::error_code error) {
      EXPECT_FALSE(error);
      EXPECT_EQ(other.acquire_until(Mutex::Clock::now() + 10s, {}),
                std::errc::resource_deadlock_would_occur);
      waiter.unlock();
      done.step();
    });
    EXPECT_TRUE(done.wait());
  };
  Mutex a{client, "it"}, b{client, "it"}, c{client, "other"};
  check(a, b, c);
  Mutex d{nodes[1], "it"}, e{nodes[0], "it"}, f{nodes[0], "other"};
  check(d, e, f);
}

TEST(Async, LearnsThatItsDaemonIsGone) {
  Daemons group{1};
  Client client{group.address(0)};
  Mutex holder{client, "it"}, waiter{client, "it"};
  holder.lock();
  Countdown lost{2};
  const auto expect_lost = [&](std::error_code error) {
    EXPECT_EQ(error, Errc::lost);
    lost.step();
  };
  waiter.async_acquire(expect_lost);
  group.stop(0);
  std::this_thread::sleep_for(10ms);
  waiter.async_acquire(expect_lost);
  EXPECT_TRUE(lost.wait());
}

TEST(Client, SaysWhatIsWrong) {
  EXPECT_THROW(Client{"unix:/nowhere/at/all"}, std::system_error);
  EXPECT_THROW(Client{"not an address"}, std::system_error);
  Daemons group{1};
  Client client{group.address(0)};
  EXPECT_THROW((Mutex{client, ""}), std::system_error);
  EXPECT_THROW((Mutex{client, "tab\there"}), std::system_error);
}

// Of two groups, since here the first is gone for good.
TEST(Client, GoesToAnotherDaemonWhenItHasLostItsOwn) {
  Daemons first{1};
  Daemons second{1};
  Client client{first.address(0) + "," + second.address(0)};
  Mutex mutex{client, "orders"};
  mutex.lock();
  const std::stop_token lost = mutex.lost();
  first.stop(0);
  const auto give_up = Mutex::Clock::now() + 10s;
  while (!lost.stop_requested() && Mutex::Clock::now() < give_up) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(mutex.valid_for(), 0ms);
  mutex.unlock();  // Of what is lost: harmless.
  ASSERT_TRUE(mutex.try_lock_for(5s));
  EXPECT_FALSE(mutex.lost().stop_requested());
  EXPECT_GT(mutex.valid_for(), 0ms);
  mutex.unlock();
}

TEST(Client, WaitsOnAtAnotherDaemonWhenItsOwnGoes) {
  Daemons first{1};
  Daemons second{1};
  Client holding{first.address(0)};
  Mutex held{holding, "orders"};
  held.lock();
  Client client{first.address(0) + "," + second.address(0)};
  Mutex mutex{client, "orders"};
  std::error_code told = Errc::timed_out;
  std::thread waiter{[&] { told = mutex.acquire_until(Mutex::Clock::now() + 20s, {}); }};
  while (client.who("orders").empty() || client.who("orders").front().waiters.empty()) {
    std::this_thread::sleep_for(5ms);
  }
  first.stop(0);
  waiter.join();
  EXPECT_EQ(told, std::error_code{});
  mutex.unlock();
  held.unlock();
}

}  // namespace
}  // namespace hapax
