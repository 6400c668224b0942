// What every gateway with semaphores promises to those who hold a Semaphore over it. A test that
// includes this, in one file, instantiates SemaphoreContract with what it goes to: names that begin
// with "pair/" have two units there.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "handles/testing/contract.h"
#include "hapax/client.h"
#include "hapax/error.h"
#include "hapax/mutex.h"
#include "hapax/semaphore.h"

namespace hapax::testing {

struct UnitGate {
  std::string name;
  std::function<ClientOptions()> options;  // To the same semaphores each time.
};
inline void PrintTo(const UnitGate& gate, std::ostream* out) { *out << gate.name; }

class SemaphoreContract : public ::testing::TestWithParam<UnitGate> {
 protected:
  // Nobody else's.
  static std::string own_name() {
    std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    return "pair/" + name.substr(0, name.find('/'));
  }
  static Client connect() { return Client{GetParam().options()}; }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SemaphoreContract);

TEST_P(SemaphoreContract, NoMoreThanThereAreUnitsAreInside) {
  std::atomic<int> inside{0};
  std::mutex mutex;
  std::set<Fence> fences;
  std::vector<std::thread> threads;
  const std::string name = own_name();
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Client client = connect();
      Semaphore semaphore{client, name};
      for (int i = 0; i < 6; ++i) {
        semaphore.acquire();
        EXPECT_LE(++inside, 2);
        EXPECT_GT(semaphore.valid_for(), 0ms);
        {
          const std::lock_guard lock{mutex};
          EXPECT_TRUE(fences.insert(semaphore.fence()).second) << "no two units have the same";
        }
        std::this_thread::sleep_for(5ms);
        --inside;
        semaphore.release();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fences.size(), 24u);
}

TEST_P(SemaphoreContract, OneObjectMayHoldSeveralAndTheNextIsTurnedAway) {
  Client client = connect(), others = connect();
  Semaphore both{client, own_name()}, none{others, own_name()};
  both.acquire();
  both.acquire();
  EXPECT_FALSE(none.try_acquire());
  both.release();
  EXPECT_TRUE(comes_about([&] { return none.try_acquire(); }));
  EXPECT_FALSE(both.try_acquire());
}

TEST_P(SemaphoreContract, WhoWaitsIsLetInWhenAUnitIsGivenBack) {
  Client client = connect(), others = connect();
  Semaphore one{client, own_name()}, other{client, own_name()}, third{others, own_name()};
  one.acquire();
  other.acquire();
  auto waiting = std::async(std::launch::async, [&] { third.acquire(); });
  ASSERT_TRUE(comes_about([&] {
    const auto locks = client.who(own_name());
    return !locks.empty() && locks[0].waiters.size() == 1 && locks[0].sharers.size() == 2;
  }));
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout);
  other.release();
  EXPECT_EQ(waiting.wait_for(20s), std::future_status::ready);
}

TEST_P(SemaphoreContract, OneThatIsCalledOffTakesNoUnitWithIt) {
  Client client = connect(), others = connect();
  Semaphore both{client, own_name()}, waiter{others, own_name()};
  both.acquire();
  both.acquire();
  for (int i = 0; i < 5; ++i) {
    std::stop_source stop;
    auto waiting = std::async(std::launch::async, [&] {
      return waiter.acquire_until(std::chrono::steady_clock::now() + 20s, stop.get_token());
    });
    std::this_thread::sleep_for(std::chrono::milliseconds{10 * i});
    stop.request_stop();
    EXPECT_EQ(waiting.get(), Errc::cancelled);
  }
  both.release();
  both.release();
  Semaphore two{others, own_name()};
  EXPECT_TRUE(two.try_acquire_for(20s));
  EXPECT_TRUE(two.try_acquire_for(20s));
}

TEST_P(SemaphoreContract, WhatAClientHoldsIsFreeWhenItEnds) {
  Client others = connect();
  Semaphore other{others, own_name()};
  {
    Client client = connect();
    Semaphore both{client, own_name()};
    both.acquire();
    both.acquire();
    EXPECT_FALSE(other.try_acquire());
  }
  EXPECT_TRUE(other.try_acquire_for(20s));
  EXPECT_TRUE(other.try_acquire_for(20s));
}

TEST_P(SemaphoreContract, AMutexOfThatNameIsRefused) {
  Client client = connect();
  Mutex mutex{client, own_name()};
  try {
    mutex.lock();
    ADD_FAILURE() << "it was let in";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), Errc::refused) << e.what();
  }
}

}  // namespace hapax::testing
