// SharedMutex and Semaphore over real sockets, all in one process: through members inside the
// program and through clients of theirs.
#include <atomic>
#include <fmt/format.h>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/folder.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;

// Three members inside this process, each with a client of its own.
class Sharing : public ::testing::Test {
 protected:
  Sharing() {
    NodeOptions options;
    options.algorithms = {"reports/*=readers-writers", "pool/*=semaphore-ra:3",
                          "one=semaphore-ra:1"};
    for (std::uint32_t i = 0; i < 3; ++i) options.members.push_back(at("member", i));
    for (; options.self <= 3; ++options.self) {
      options.clients = {at("clients", options.self)};
      nodes_.push_back(std::make_unique<Node>(options));
      clients_.push_back(std::make_unique<Client>(options.clients[0]));
    }
  }
  Node& node(std::uint32_t i) { return *nodes_[i]; }
  Client& client(std::uint32_t i) { return *clients_[i]; }

  // Calls f(near, far) with every two ways to the group.
  template <class F>
  void for_each_pair(F&& f) {
    f(node(0), node(1));
    f(client(0), client(1));
    f(node(0), client(2));
    f(client(0), client(0));
  }

 private:
  std::string at(const std::string& what, std::uint32_t i) const {
    return fmt::format("unix:{}/{}-{}", folder_.path().string(), what, i);
  }

  const testing::Folder folder_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Client>> clients_;
};

TEST_F(Sharing, ReadersReadTogetherAndAWriterWritesAlone) {
  for_each_pair([](auto& near, auto& far) {
    SharedMutex mine{near, "reports/1"};
    SharedMutex yours{far, "reports/1"};
    Fence read;
    {
      std::shared_lock reading{mine};
      std::shared_lock together{yours, 10s};
      EXPECT_TRUE(together.owns_lock());
      EXPECT_FALSE(yours.try_lock()) << "readers are inside";
      read = std::max(mine.fence(), yours.fence());
      EXPECT_GT(mine.valid_for(), 0ms);
      EXPECT_FALSE(mine.lost().stop_requested());
    }
    std::unique_lock writing{yours};
    EXPECT_GT(yours.fence(), read);
    EXPECT_FALSE(mine.try_lock_shared()) << "a writer is inside";
    EXPECT_FALSE(mine.try_lock_shared_for(1ms));
    const Fence written = yours.fence();
    writing.unlock();
    std::shared_lock after{mine};
    EXPECT_GT(mine.fence(), written);
  });
}

TEST_F(Sharing, OneObjectIsReadByManyThreads) {
  SharedMutex reports{client(1), "reports/2"};
  std::vector<std::thread> threads;
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<bool> wrote = false;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const std::shared_lock reading{reports};
      most = std::max(most.load(), ++inside);
      while (most < 4) std::this_thread::sleep_for(1ms);  // All at once, or for ever.
      EXPECT_FALSE(wrote);
      --inside;
    });
  }
  for (auto& thread : threads) thread.join();
  const std::scoped_lock writing{reports};
  wrote = true;
  EXPECT_EQ(most, 4);
}

// No update is lost although readers come and go.
TEST_F(Sharing, WritersExcludeEachOther) {
  int count = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      SharedMutex mine{node(t), "reports/3"};
      for (int i = 0; i < 30; ++i) {
        if (i % 3 == 0) {
          const std::scoped_lock writing{mine};
          ++count;
        } else {
          const std::shared_lock reading{mine};
          EXPECT_GE(count, 0);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count, 30);
}

TEST_F(Sharing, AMutexIsAWriter) {
  Mutex alone{node(0), "reports/4"};
  SharedMutex reader{client(1), "reports/4"};
  {
    const std::scoped_lock writing{alone};
    EXPECT_FALSE(reader.try_lock_shared());
  }
  const std::shared_lock reading{reader};
  EXPECT_FALSE(alone.try_lock());
}

TEST_F(Sharing, WhatIsNoSharedLockSaysWhatToDo) {
  SharedMutex orders{client(0), "orders"};
  try {
    orders.lock_shared();
    FAIL();
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), Errc::refused);
    EXPECT_NE(std::string{e.what()}.find("--algorithm 'orders=readers-writers'"), std::string::npos)
        << e.what();
  }
  SharedMutex here{node(0), "orders"};
  EXPECT_EQ(here.acquire_shared_until(SharedMutex::Clock::now() + 10s, {}), Errc::refused);
  const std::scoped_lock alone{orders};  // An exclusive one works on every lock.
  Semaphore none{client(1), "orders"};
  EXPECT_THROW(none.acquire(), std::system_error);
  Mutex pool{client(1), "pool/x"};
  EXPECT_THROW(pool.lock(), std::system_error) << "three would be inside";
  Mutex one{client(1), "one"};
  EXPECT_TRUE(one.try_lock());
  EXPECT_THROW((SharedMutex{client(0), ""}), std::system_error);
}

TEST_F(Sharing, ASemaphoreLetsInAsManyAsItHasUnits) {
  for_each_pair([](auto& near, auto& far) {
    Semaphore mine{near, "pool/x"};
    Semaphore yours{far, "pool/x"};
    mine.acquire();
    const Fence first = mine.fence();
    mine.acquire();
    EXPECT_NE(mine.fence(), first);
    yours.acquire();
    EXPECT_FALSE(yours.try_acquire());
    EXPECT_FALSE(mine.try_acquire_for(10ms));
    std::thread waiter{[&] { yours.acquire(); }};
    mine.release();
    waiter.join();
    yours.release();
    yours.release();
    mine.release();
  });
}

TEST_F(Sharing, AnObjectThatEndsGivesBackWhatItHolds) {
  {
    Semaphore mine{client(0), "pool/y"};
    for (int i = 0; i < 3; ++i) mine.acquire();
    SharedMutex reader{node(0), "reports/5"};
    reader.lock_shared();
  }
  Semaphore yours{node(1), "pool/y"};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(yours.try_acquire_for(10s));
  SharedMutex writer{client(1), "reports/5"};
  EXPECT_TRUE(writer.try_lock_for(10s));
}

TEST_F(Sharing, AWaitCanBeCalledOff) {
  SharedMutex writer{node(0), "reports/6"};
  const std::scoped_lock writing{writer};
  for (const bool by_client : {false, true}) {
    std::stop_source stop;
    std::thread canceller{[&] {
      std::this_thread::sleep_for(20ms);
      stop.request_stop();
    }};
    const auto later = SharedMutex::Clock::now() + 60s;
    std::unique_ptr<SharedMutex> reader =
        by_client ? std::make_unique<SharedMutex>(client(1), "reports/6")
                  : std::make_unique<SharedMutex>(node(1), "reports/6");
    EXPECT_EQ(reader->acquire_shared_until(later, stop.get_token()), Errc::cancelled);
    canceller.join();
  }
}

TEST_F(Sharing, AllWhoShareAreShown) {
  SharedMutex mine{client(0), "reports/7"};
  SharedMutex yours{client(2), "reports/7"};
  const std::shared_lock one{mine};
  const std::shared_lock two{yours};
  const std::vector<LockInfo> locks = client(1).who("reports/7");
  ASSERT_EQ(locks.size(), 1u);
  EXPECT_EQ(locks[0].algorithm, "readers-writers");
  EXPECT_FALSE(locks[0].holder.has_value());
  ASSERT_EQ(locks[0].sharers.size(), 2u);
  EXPECT_EQ(locks[0].sharers[0].member, 1u);
  EXPECT_EQ(locks[0].sharers[1].member, 3u);
  EXPECT_TRUE(locks[0].sharers[1].shared);
  EXPECT_EQ(locks[0].sharers[1].fence, yours.fence());
}

TEST_F(Sharing, WhoIsToldOfALockCannotWaitForAnotherMeanwhile) {
  const auto check = [](auto& way) {
    Mutex mutex{way, "plain"};
    SharedMutex reports{way, "reports/1"};
    Election lead{way, "lead"};
    std::promise<void> told;
    mutex.async_acquire([&](std::error_code error) {
      EXPECT_FALSE(error);
      const auto deadline = Mutex::Clock::now() + 10s;
      EXPECT_EQ(reports.acquire_until(deadline, {}), std::errc::resource_deadlock_would_occur);
      EXPECT_EQ(lead.campaign_until("me", deadline, {}), std::errc::resource_deadlock_would_occur);
      EXPECT_THROW(way.status(), std::system_error);
      mutex.unlock();
      told.set_value();
    });
    told.get_future().wait();
    const std::unique_lock writing{reports};
    EXPECT_FALSE(lead.campaign_until("me", Mutex::Clock::now() + 10s, {}));
  };
  check(node(0));
  check(client(1));
}

}  // namespace
}  // namespace hapax
