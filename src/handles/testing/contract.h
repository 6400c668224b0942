// What every gateway promises to those who hold a Mutex or an Election over it: a daemon's, that of
// a member inside the program, and those that go to an engine or to Redis directly. A test that
// includes this, in one file, instantiates GatewayContract with what it goes to.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "hapax/client.h"
#include "hapax/election.h"
#include "hapax/error.h"
#include "hapax/mutex.h"

namespace hapax::testing {

using namespace std::chrono_literals;

// False if it has not come about within a time that no busy machine needs.
template <class Done>
bool comes_about(Done done) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

inline ClientOptions options_for(const std::string& engine, std::chrono::milliseconds ttl) {
  ClientOptions options;
  options.addresses = {engine};
  options.engine_ttl = ttl;
  return options;
}

// A program's way to the locks: a Client, or a Node.
class Door {
 public:
  virtual ~Door() = default;
  virtual Mutex mutex(const std::string& name) = 0;
  virtual Election election(const std::string& name) = 0;
  virtual std::vector<LockInfo> who(const std::string& name) = 0;
};

template <class Way>
class DoorThrough final : public Door {
 public:
  template <class Where>
  explicit DoorThrough(const Where& where) : way_(where) {}
  Mutex mutex(const std::string& name) override { return Mutex{way_, name}; }
  Election election(const std::string& name) override { return Election{way_, name}; }
  std::vector<LockInfo> who(const std::string& name) override { return way_.who(name); }
  Way& way() { return way_; }

 private:
  Way way_;
};

struct Gate {
  std::string name;
  std::function<std::unique_ptr<Door>()> connect;  // To the same locks each time.
  bool is_first_come_first_served = false;
  // Redis keeps the holder's name and nothing more: not who waits, nor its fence.
  bool has_lines = true;
};
// `address` says the same each time.
inline Gate client_gate(std::string name, std::function<std::string()> address) {
  return {std::move(name), [address = std::move(address)]() -> std::unique_ptr<Door> {
            return std::make_unique<DoorThrough<Client>>(address());
          }};
}
// Of an engine that keeps its clients in lines.
inline Gate line_gate(std::string name, std::function<std::string()> address) {
  Gate gate = client_gate(std::move(name), std::move(address));
  gate.is_first_come_first_served = true;
  return gate;
}
inline void PrintTo(const Gate& gate, std::ostream* out) { *out << gate.name; }

class GatewayContract : public ::testing::TestWithParam<Gate> {
 protected:
  // Nobody else's.
  static std::string own_name() {
    std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    return "contract/" + name.substr(0, name.find('/'));
  }
  std::unique_ptr<Door> connect() const { return GetParam().connect(); }

  // Waits, within a time that no busy machine needs, until so many wait for the lock.
  static bool are_waiting(Door& door, std::size_t count) {
    if (!GetParam().has_lines) {
      std::this_thread::sleep_for(200ms);  // Nobody can tell.
      return true;
    }
    return comes_about([&] {
      const std::vector<LockInfo> locks = door.who(own_name());
      return !locks.empty() && locks[0].waiters.size() >= count;
    });
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GatewayContract);

TEST_P(GatewayContract, FencesGrowFromOneEntryToTheNext) {
  const auto client = connect();
  Mutex mutex = client->mutex(own_name());
  Fence last;
  for (int i = 0; i < 3; ++i) {
    const std::scoped_lock lock{mutex};
    EXPECT_LT(last, mutex.fence());
    last = mutex.fence();
    EXPECT_GT(mutex.valid_for(), 0ms);
    EXPECT_FALSE(mutex.lost().stop_requested());
  }
}

TEST_P(GatewayContract, OneAtATimeIsInside) {
  std::atomic<int> inside{0};
  int entries = 0;
  Fence last;
  std::vector<std::thread> threads;
  const std::string name = own_name();
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const auto client = connect();
      Mutex mutex = client->mutex(name);
      for (int i = 0; i < 8; ++i) {
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
  EXPECT_EQ(entries, 32);
}

TEST_P(GatewayContract, SoAreTwoOfOneProgram) {
  const auto client = connect();
  Mutex one = client->mutex(own_name());
  Mutex other = client->mutex(own_name());
  one.lock();
  EXPECT_FALSE(other.try_lock_for(300ms));
  one.unlock();
  EXPECT_TRUE(other.try_lock_for(20s));
  other.unlock();
}

TEST_P(GatewayContract, NamesDoNotMeetThoughOneBeginsWithTheOther) {
  const auto client = connect();
  Mutex below = client->mutex(own_name() + "/42");
  Mutex above = client->mutex(own_name());
  const std::scoped_lock lock{below};
  EXPECT_TRUE(above.try_lock_for(20s));
  above.unlock();
}

TEST_P(GatewayContract, ATryEndsInTime) {
  const auto client = connect();
  const auto other = connect();
  Mutex mutex = client->mutex(own_name());
  Mutex same = other->mutex(own_name());
  const std::scoped_lock lock{mutex};
  EXPECT_EQ(same.acquire_until(std::chrono::steady_clock::now() + 300ms, {}), Errc::timed_out);
  EXPECT_FALSE(same.try_lock());
}

TEST_P(GatewayContract, AWaitIsCalledOffAtOnce) {
  const auto client = connect();
  const auto other = connect();
  Mutex mutex = client->mutex(own_name());
  Mutex same = other->mutex(own_name());
  mutex.lock();
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] {
    return same.acquire_until(std::chrono::steady_clock::now() + 1h, stop.get_token());
  });
  EXPECT_TRUE(are_waiting(*client, 1));
  stop.request_stop();
  EXPECT_EQ(waiting.get(), Errc::cancelled);
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_for(20s)) << "it stands in nobody's way";
  mutex.unlock();
}

TEST_P(GatewayContract, AnAnswerMayComeLater) {
  const auto client = connect();
  Mutex mutex = client->mutex(own_name());
  Mutex same = client->mutex(own_name());
  mutex.lock();
  std::promise<std::error_code> granted;
  std::promise<std::error_code> called_off;
  std::stop_source stop;
  Mutex third = client->mutex(own_name());
  same.async_acquire([&](std::error_code error) { granted.set_value(error); });
  third.async_acquire([&](std::error_code error) { called_off.set_value(error); },
                      stop.get_token());
  EXPECT_TRUE(are_waiting(*client, 2));
  stop.request_stop();
  EXPECT_EQ(called_off.get_future().get(), Errc::cancelled);
  const Fence first = mutex.fence();
  mutex.unlock();
  EXPECT_EQ(granted.get_future().get(), std::error_code{});
  EXPECT_LT(first, same.fence());
  same.unlock();
}

TEST_P(GatewayContract, WhoGoesGivesBackWhatItHeldAndItsPlace) {
  const auto client = connect();
  Mutex mutex = client->mutex(own_name());
  {
    const auto other = connect();
    Mutex same = other->mutex(own_name());
    same.lock();
  }
  EXPECT_TRUE(mutex.try_lock_for(20s));
  mutex.unlock();
}

TEST_P(GatewayContract, WhoSaysWhoHoldsItAndWhoWaits) {
  const auto client = connect();
  Mutex mutex = client->mutex(own_name());
  Mutex same = client->mutex(own_name());
  mutex.lock();
  std::promise<std::error_code> granted;
  same.async_acquire([&](std::error_code error) { granted.set_value(error); });
  EXPECT_TRUE(are_waiting(*client, 1));
  const std::vector<LockInfo> locks = client->who(own_name());
  ASSERT_EQ(locks.size(), 1u);
  EXPECT_EQ(locks[0].name, own_name());
  ASSERT_TRUE(locks[0].holder.has_value());
  EXPECT_EQ(locks[0].holder->pid, static_cast<std::uint32_t>(getpid()));
  EXPECT_NE(locks[0].holder->command, "");
  if (GetParam().has_lines) {
    EXPECT_EQ(locks[0].holder->fence, mutex.fence());
    EXPECT_EQ(locks[0].waiters.size(), 1u);
  }
  mutex.unlock();
  EXPECT_EQ(granted.get_future().get(), std::error_code{});
  same.unlock();
}

TEST_P(GatewayContract, FirstComeFirstServed) {
  if (!GetParam().is_first_come_first_served) GTEST_SKIP() << "not promised here";
  const auto client = connect();
  Mutex mutex = client->mutex(own_name());
  mutex.lock();
  std::vector<std::unique_ptr<Door>> clients;
  std::vector<std::unique_ptr<Mutex>> waiting;
  std::mutex guard;
  std::vector<int> order;
  std::atomic<int> left{5};
  for (int i = 0; i < 5; ++i) {
    clients.push_back(connect());
    waiting.emplace_back(new Mutex{clients.back()->mutex(own_name())});
    Mutex& own = *waiting.back();
    own.async_acquire([&, i](std::error_code error) {
      EXPECT_EQ(error, std::error_code{});
      const std::lock_guard lock{guard};
      order.push_back(i);
      own.unlock();
      --left;
    });
    ASSERT_TRUE(are_waiting(*client, static_cast<std::size_t>(i) + 1));
  }
  mutex.unlock();
  EXPECT_TRUE(comes_about([&] { return left == 0; }));
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_P(GatewayContract, IsOfNoUseInAChild) {
  const auto client = connect();
  Mutex mutex = client->mutex(own_name());
  mutex.lock();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool is_lost = mutex.lost().stop_requested();
    mutex.unlock();
    Mutex own = client->mutex("child");
    const bool is_refused = own.acquire_until(std::chrono::steady_clock::now(), {}) == Errc::forked;
    _exit(is_lost && is_refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(mutex.lost().stop_requested()) << "it is the parent's still";
  const auto other = connect();
  Mutex same = other->mutex(own_name());
  EXPECT_FALSE(same.try_lock_for(200ms));
  mutex.unlock();
}

TEST_P(GatewayContract, OneLeadsAndObserversSeeIt) {
  const auto client = connect();
  const auto other = connect();
  Election first = client->election(own_name());
  Election second = other->election(own_name());
  Election::Observation seen = second.observe();
  const auto next = [&] { return seen.next_until(std::chrono::steady_clock::now() + 20s); };
  auto change = next();
  ASSERT_TRUE(change.has_value());
  EXPECT_TRUE(change->is_vacant());
  first.campaign("one");
  change = next();
  ASSERT_TRUE(change && change->leader);
  EXPECT_EQ(change->leader->value, "one");
  if (GetParam().has_lines) EXPECT_EQ(change->leader->fence, first.fence());
  EXPECT_FALSE(second.campaign_for("two", 200ms));
  const Fence before = first.fence();
  first.resign();
  second.campaign("two");
  EXPECT_LT(before, second.fence());
  for (change = next(); change && (!change->leader || change->leader->value != "two");) {
    change = next();
  }
  ASSERT_TRUE(change.has_value());
  EXPECT_TRUE(second.is_leader());
  second.resign();
}

}  // namespace hapax::testing
