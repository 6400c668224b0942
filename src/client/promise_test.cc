// What a client makes of what its daemon says about leases: against a daemon that says what the
// test wants.
#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "base/testing/folder.h"
#include "client/testing/eventually.h"
#include "client/testing/scripted_daemon.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::eventually;
using client::testing::ScriptedDaemon;

class Promise : public ::testing::Test {
 protected:
  // The daemon has no lease any more, and the client knows.
  template <class Lock>
  void end_lease(const Lock& lock) {
    daemon.lease_ms = 0;
    EXPECT_TRUE(eventually([&] { return lock.valid_for() == 0ms; }));
  }

  const testing::Folder folder;
  ScriptedDaemon daemon{(folder / "socket").string()};
  Client client{"unix:" + (folder / "socket").string()};
};

TEST_F(Promise, AGrantIsHandedOverWhenItIsKnownHowLongItIsGood) {
  Mutex mutex{client, "one"};
  end_lease(mutex);
  std::atomic<bool> is_held = false;
  std::thread thread{[&] {
    mutex.lock();
    is_held = true;
  }};
  ASSERT_TRUE(eventually([&] { return !daemon.granted().empty(); }));
  std::this_thread::sleep_for(300ms);
  EXPECT_FALSE(is_held) << "the daemon may have no lease any more";
  daemon.lease_ms = 900;
  thread.join();
  EXPECT_FALSE(mutex.lost().stop_requested());
  EXPECT_GT(mutex.valid_for(), 0ms);
  EXPECT_LE(mutex.valid_for(), 900ms);
  mutex.unlock();
}

TEST_F(Promise, EndsInTimeAlsoIfItIsTheSecondOne) {
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
    EXPECT_TRUE(eventually([&] { return daemon.released().size() > static_cast<std::size_t>(i); }))
        << "what is lost is given back";
  }
}

// One that was lost before anybody heard of it is not handed over, but asked for again.
TEST_F(Promise, AGrantThatIsDeadOnArrivalIsAskedForAgain) {
  const auto check = [&](auto& lock, auto get, auto give_back) {
    end_lease(lock);
    const std::size_t before = daemon.granted().size();
    std::atomic<bool> is_held = false;
    std::thread thread{[&] {
      get();
      EXPECT_GT(lock.valid_for(), 0ms);
      EXPECT_FALSE(lock.lost().stop_requested());
      is_held = true;
      give_back();
    }};
    EXPECT_TRUE(eventually([&] { return daemon.granted().size() == before + 1; }));
    daemon.tell(session::Lost{daemon.granted().back()});
    EXPECT_TRUE(eventually([&] { return daemon.granted().size() == before + 2 || is_held; }));
    EXPECT_FALSE(is_held);
    daemon.lease_ms = 900;
    thread.join();
  };
  Mutex mutex{client, "one"};
  check(
      mutex, [&] { mutex.lock(); }, [&] { mutex.unlock(); });
  SharedMutex shared{client, "one"};
  check(
      shared, [&] { shared.lock_shared(); }, [&] { shared.unlock_shared(); });
  std::atomic<bool> is_told = false;
  const auto lock_later = [&] {
    is_told = false;
    mutex.async_acquire([&](std::error_code error) {
      EXPECT_FALSE(error);
      is_told = true;
    });
    EXPECT_TRUE(eventually([&] { return is_told.load(); }));
  };
  check(mutex, lock_later, [&] { mutex.unlock(); });
}

TEST_F(Promise, AGrantThatIsDeadOnArrivalIsReportedWhenThereIsNoTimeToAskAgain) {
  Mutex mutex{client, "one"};
  end_lease(mutex);
  const auto deadline = Mutex::Clock::now() + 100ms;
  std::error_code error;
  std::thread thread{[&] { error = mutex.acquire_until(deadline, {}); }};
  EXPECT_TRUE(eventually([&] { return !daemon.granted().empty(); }));
  std::this_thread::sleep_until(deadline);
  daemon.tell(session::Lost{daemon.granted().back()});
  thread.join();
  EXPECT_EQ(error, Errc::unavailable);
  EXPECT_TRUE(eventually([&] { return daemon.released() == daemon.granted(); }));
}

TEST_F(Promise, ALossIsOfTheGrantItNames) {
  Mutex first{client, "first"};
  Mutex second{client, "second"};
  first.lock();
  second.lock();
  const std::stop_token all = client.lost();
  daemon.tell(session::Lost{daemon.granted().front()});
  EXPECT_TRUE(eventually([&] { return first.lost().stop_requested(); }));
  EXPECT_EQ(first.valid_for(), 0ms);
  EXPECT_FALSE(second.lost().stop_requested());
  EXPECT_GT(second.valid_for(), 0ms);
  EXPECT_FALSE(all.stop_requested());
  daemon.lease_ms = 0;
  EXPECT_TRUE(eventually([&] { return second.lost().stop_requested(); }));
  EXPECT_TRUE(eventually([&] { return all.stop_requested(); }));
}

}  // namespace
}  // namespace hapax
