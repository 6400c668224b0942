// Members inside this program that find one another through an engine, a file in a folder of their
// own: what their threads see when views change and leases run out.
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/send_signal.h"
#include "base/testing/folder.h"
#include "client/testing/eventually.h"
#include "client/testing/node_views.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::eventually;
using client::testing::NodeViews;
using client::testing::Outage;

TEST_F(NodeViews, ExcludeOneAnotherWhileMembersComeAndGo) {
  ttl_ = 4s;
  start(3);
  std::atomic<int> inside{0};
  std::atomic<int> entries{0};
  std::atomic<bool> is_over{false};
  Fence last;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      Mutex mutex{(*this)[t], "one"};
      while (!is_over) {
        // Several times in a row, so that it enters by itself.
        for (int i = 0; i < 5; ++i) {
          const std::scoped_lock lock{mutex};
          EXPECT_EQ(inside.fetch_add(1), 0);
          EXPECT_LT(last, mutex.fence());
          last = mutex.fence();
          ++entries;
          inside.fetch_sub(1);
        }
        std::this_thread::sleep_for(100us);
      }
    });
  }
  for (int i = 3; i < 6; ++i) {
    const int before = entries;
    join(i);
    EXPECT_TRUE(are_in_one_view(static_cast<std::uint32_t>(i) + 1));
    EXPECT_TRUE(eventually([&] { return entries > before + 50; }));
  }
  for (std::size_t i = 3; i < 6; ++i) {
    const int before = entries;
    nodes_[i].reset();
    EXPECT_TRUE(are_in_one_view(static_cast<std::uint32_t>(8 - i)));
    EXPECT_TRUE(eventually([&] { return entries > before + 50; }));
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_F(NodeViews, TakeOverFromAProcessThatIsKilled) {
  int pipe[2];
  ASSERT_EQ(pipe2(pipe, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    Node node{options(0)};
    Mutex mutex{node, "one"};
    mutex.lock();
    const std::uint64_t fence[] = {number(mutex.fence().epoch), number(mutex.fence().turn)};
    if (write(pipe[1], fence, sizeof fence) != sizeof fence) _exit(1);
    for (;;) pause();
  }
  std::uint64_t fence[2];
  ASSERT_EQ(read(pipe[0], fence, sizeof fence), static_cast<ssize_t>(sizeof fence));
  join(1);
  ASSERT_TRUE(are_in_one_view(2));
  Mutex mutex{(*this)[1], "one"};
  EXPECT_FALSE(mutex.try_lock());
  signal_process(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(mutex.try_lock_for(20s));
  EXPECT_GT(mutex.fence(), (Fence{Epoch{fence[0]}, Turn{fence[1]}}));
  EXPECT_FALSE(mutex.lost().stop_requested());
  close(pipe[0]);
  close(pipe[1]);
}

TEST_F(NodeViews, LoseWhatTheyHoldWithTheLeaseAndNothingThatIsGrantedLater) {
  start(2);
  Mutex mutex{(*this)[0], "one"};
  SharedMutex reports{(*this)[0], "reports/x"};
  Election election{(*this)[0], "scheduler"};
  mutex.lock();
  reports.lock_shared();
  election.campaign("node-0");
  const Fence before = mutex.fence();
  const std::vector tokens{mutex.lost(), reports.lost(), election.lost()};
  EXPECT_GT(mutex.valid_for(), 0ms);
  EXPECT_LE(mutex.valid_for(), 800ms);
  std::atomic<bool> was_told_first = false;
  std::thread other{[&] {
    Mutex same{(*this)[1], "one"};
    same.lock();
    was_told_first = tokens[0].stop_requested();
    EXPECT_GT(same.fence(), before);
    same.unlock();
  }};
  {
    const Outage outage{file()};
    EXPECT_TRUE(eventually([&] {
      const auto view = (*this)[0].status().view;
      return view->in_jeopardy || view->lease == 0ms;
    }));
    for (const std::stop_token& token : tokens) {
      EXPECT_TRUE(eventually([&] { return token.stop_requested(); }));
    }
    EXPECT_EQ(mutex.valid_for(), 0ms);
    EXPECT_FALSE(election.is_leader());
    EXPECT_TRUE(eventually([&] { return (*this)[0].status().held == 0; }));
  }
  other.join();
  EXPECT_TRUE(was_told_first);
  mutex.unlock();
  reports.unlock_shared();
  election.resign();
  // A later grant of the same object is not stopped, neither through the table nor by itself.
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(mutex.try_lock_for(20s));
    EXPECT_FALSE(mutex.lost().stop_requested());
    EXPECT_TRUE(tokens[0].stop_requested());
    EXPECT_GT(mutex.fence(), before);
    mutex.unlock();
  }
  reports.lock_shared();
  EXPECT_FALSE(reports.lost().stop_requested());
  reports.unlock_shared();
  election.campaign("node-0");
  EXPECT_TRUE(election.is_leader());
  EXPECT_FALSE(election.lost().stop_requested());
}

TEST_F(NodeViews, TakeNothingForTheirOwnThatTheyHaveLost) {
  start(1);
  Mutex old{(*this)[0], "one"};
  old.lock();
  const std::stop_token lost = old.lost();
  {
    const Outage outage{file()};
    ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  }
  Mutex current{(*this)[0], "one"};
  ASSERT_TRUE(current.try_lock_for(20s));
  old.unlock();  // Of what is no longer held; by now the lock is somebody else's.
  Mutex next{(*this)[0], "one"};
  EXPECT_FALSE(next.try_lock());
  EXPECT_FALSE(current.lost().stop_requested());
  current.unlock();
  EXPECT_TRUE(next.try_lock_for(20s));
}

// As with a std::mutex, the other thread gets in when the first has unlocked, lost or not.
TEST_F(NodeViews, LetThreadsShareAMutexThroughALoss) {
  start(1);
  Mutex mutex{(*this)[0], "one"};
  mutex.lock();
  const std::stop_token lost = mutex.lost();
  {
    const Outage outage{file()};
    ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  }
  EXPECT_TRUE(mutex.acquire_until(Mutex::Clock::now() + 2s, {})) << "it has yet to be unlocked";
  std::atomic<bool> is_inside = false;
  std::atomic<bool> may_leave = false;
  std::thread other{[&] {
    mutex.lock();
    is_inside = true;
    EXPECT_TRUE(eventually([&] { return may_leave.load(); }));
    EXPECT_FALSE(mutex.lost().stop_requested());
    mutex.unlock();
  }};
  mutex.unlock();
  EXPECT_TRUE(eventually([&] { return is_inside.load(); }));
  Mutex same{(*this)[0], "one"};
  EXPECT_FALSE(same.try_lock()) << "the first unlock() was not for the other's grant";
  may_leave = true;
  other.join();
  EXPECT_TRUE(same.try_lock_for(20s));
  same.unlock();
}

TEST_F(NodeViews, EnterNothingByThemselvesWithoutALease) {
  start(2);
  Mutex mutex{(*this)[0], "one"};
  Fence last;
  for (int i = 0; i < 100; ++i) {
    const std::scoped_lock lock{mutex};
    last = mutex.fence();
  }
  {
    const Outage outage{file()};
    ASSERT_TRUE(eventually([&] { return mutex.lost().stop_requested(); }));
    EXPECT_EQ(mutex.valid_for(), 0ms);
    EXPECT_EQ(mutex.acquire_until(Mutex::Clock::now() + 10ms, {}), Errc::unavailable);
    EXPECT_THROW((void)mutex.try_lock_for(10ms), std::system_error) << "nobody else has it";
  }
  // The next one counts on from the last entry that nobody was asked for.
  Mutex other{(*this)[1], "one"};
  ASSERT_TRUE(other.try_lock_for(20s));
  EXPECT_GT(other.fence(), last);
}

// A loop that hangs stops beating. A thread that enters by the word alone does not need it and is
// stopped by the clock; holders are told by another thread.
TEST_F(NodeViews, AreStoppedByTheClockWhenTheirLoopHangs) {
  start(2);
  std::atomic<int> inside{0};
  std::atomic<int> entries{0};
  std::atomic<bool> is_over{false};
  Fence last;
  std::atomic<bool> is_hung{false};
  std::atomic<bool> may_go_on{false};
  std::stop_token lost;
  Mutex held{(*this)[0], "held"};
  std::thread busy{[&] {
    Mutex mutex{(*this)[0], "one"};
    while (!is_over) {
      const std::scoped_lock lock{mutex};
      EXPECT_EQ(inside.fetch_add(1), 0);
      EXPECT_LT(last, mutex.fence());
      last = mutex.fence();
      ++entries;
      inside.fetch_sub(1);
    }
  }};
  ASSERT_TRUE(eventually([&] { return entries > 100; }));
  // It may be answered by the thread that asks.
  std::thread hanging{[&] {
    held.async_acquire([&](std::error_code error) {
      EXPECT_FALSE(error);
      lost = held.lost();
      is_hung = true;
      may_go_on.wait(false);
    });
  }};
  ASSERT_TRUE(eventually([&] { return is_hung.load(); }));
  const int before = entries;
  EXPECT_TRUE(eventually([&] { return entries > before; }));  // Without the loop.
  Mutex same_held{(*this)[1], "held"};
  Mutex same{(*this)[1], "one"};
  EXPECT_TRUE(same_held.try_lock_for(20s));
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_TRUE(same.try_lock_for(20s));
  EXPECT_EQ(inside.fetch_add(1), 0);
  EXPECT_LT(last, same.fence());
  last = same.fence();
  is_over = true;
  inside.fetch_sub(1);
  same.unlock();
  may_go_on = true;
  may_go_on.notify_all();
  busy.join();
  hanging.join();
  held.unlock();
  EXPECT_FALSE(same_held.lost().stop_requested());
}

TEST_F(NodeViews, KeepLockFenceAndPlaceInTheQueueWhenAViewChanges) {
  ttl_ = 4s;
  start(2);
  Mutex mutex{(*this)[0], "one"};
  mutex.lock();
  const Fence before = mutex.fence();
  std::atomic<bool> is_served = false;
  Fence after;
  std::thread waiter{[&] {
    Mutex same{(*this)[1], "one"};
    same.lock();
    after = same.fence();
    is_served = true;
  }};
  EXPECT_TRUE(eventually([&] { return (*this)[1].status().waiting == 1; }));
  const Epoch epoch = (*this)[0].status().epoch;
  join(2);
  ASSERT_TRUE(are_in_one_view(3));
  EXPECT_GT((*this)[0].status().epoch, epoch);
  EXPECT_EQ(mutex.fence(), before);
  EXPECT_FALSE(mutex.lost().stop_requested());
  EXPECT_FALSE(is_served);
  EXPECT_TRUE(eventually([&] { return (*this)[1].status().waiting == 1; }));
  mutex.unlock();
  waiter.join();
  EXPECT_GT(after, before);
}

TEST_F(NodeViews, GiveBackWhatTheyOnlyKeepWhenAViewChanges) {
  ttl_ = 4s;
  start(1);
  Mutex mutex{(*this)[0], "one"};
  for (int i = 0; i < 3; ++i) std::scoped_lock{mutex};
  EXPECT_EQ((*this)[0].status().held, 1u);  // As the table sees it.
  join(1);
  ASSERT_TRUE(are_in_one_view(2));
  EXPECT_EQ((*this)[0].status().held, 0u);
}

TEST_F(NodeViews, DrainBeforeTheyLeave) {
  ttl_ = 4s;
  start(2);
  Mutex mutex{(*this)[0], "one"};
  Mutex kept{(*this)[0], "kept"};
  mutex.lock();
  std::scoped_lock{kept};
  auto leaving = std::async(std::launch::async, [&] { (*this)[0].leave_group(1h); });
  Mutex more{(*this)[0], "more"};
  EXPECT_TRUE(eventually([&] {
    const bool is_refused = more.acquire_until(Mutex::Clock::now() + 1s, {}) == Errc::refused;
    if (!is_refused) more.unlock();
    return is_refused;
  }));
  EXPECT_FALSE(mutex.lost().stop_requested());
  mutex.unlock();
  ASSERT_EQ(leaving.wait_for(20s), std::future_status::ready);
  leaving.get();
  EXPECT_EQ(more.acquire_until(Mutex::Clock::now() + 1s, {}), Errc::lost);
  EXPECT_TRUE(eventually([&] { return (*this)[1].status().size == 1; }));
  Mutex same{(*this)[1], "one"};
  EXPECT_TRUE(same.try_lock_for(20s));
}

TEST_F(NodeViews, HoldWhatIsInUseUntilItIsUnlockedThoughTheyLeaveAtOnce) {
  ttl_ = 10s;
  start(2);
  Mutex mutex{(*this)[0], "one"};
  SharedMutex reports{(*this)[0], "reports/x"};
  mutex.lock();
  reports.lock();
  const std::vector tokens{mutex.lost(), reports.lost()};
  std::thread leaving{[&] { (*this)[0].leave_group(0ms); }};
  for (const std::stop_token& token : tokens) {
    EXPECT_TRUE(eventually([&] { return token.stop_requested(); }));
  }
  Mutex same{(*this)[1], "one"};
  SharedMutex same_reports{(*this)[1], "reports/x"};
  EXPECT_FALSE(same.try_lock()) << "its holder may not have looked yet";
  EXPECT_FALSE(same_reports.try_lock_shared());
  mutex.unlock();
  EXPECT_TRUE(same.try_lock_for(8s)) << "before the lease is over";
  reports.unlock();
  EXPECT_TRUE(same_reports.try_lock_shared_for(8s));
  leaving.join();
  same.unlock();
  same_reports.unlock_shared();
}

TEST_F(NodeViews, TellWhoHoldsAndWhoWaitsWhenTheyLeaveAtOnce) {
  ttl_ = 4s;
  start(2);
  Mutex mutex{(*this)[0], "one"};
  mutex.lock();
  Mutex foreign{(*this)[1], "foreign"};
  foreign.lock();
  std::error_code told;
  std::thread waiter{[&] {
    Mutex same{(*this)[0], "foreign"};
    told = same.acquire_until(Mutex::Clock::now() + 20s, {});
  }};
  EXPECT_TRUE(eventually([&] { return (*this)[0].status().waiting == 1; }));
  (*this)[0].leave_group(0ms);
  EXPECT_TRUE(mutex.lost().stop_requested());
  waiter.join();
  EXPECT_EQ(told, Errc::lost);
  mutex.unlock();
}

TEST_F(NodeViews, ShowThemselves) {
  ttl_ = 4s;
  start(2);
  const GroupStatus status = (*this)[0].status();
  ASSERT_TRUE(status.view.has_value());
  EXPECT_EQ(status.size, 2u);
  EXPECT_GT(number(status.epoch), 0u);
  EXPECT_EQ(status.view->engine, "embedded:" + file());
  EXPECT_EQ(status.view->standing, "running");
  EXPECT_EQ(status.view->ttl, ttl_);
  EXPECT_GT(status.view->lease, 0ms);
  EXPECT_EQ(status.view->lives.size(), 2u);
}

TEST_F(NodeViews, RefuseWhatMakesNoSense) {
  const auto error_of = [](const NodeOptions& options) -> std::error_code {
    try {
      Node{options};
    } catch (const std::system_error& e) {
      return e.code();
    }
    return {};
  };
  NodeOptions wrong = options(0);
  wrong.members = {"127.0.0.1:1"};
  EXPECT_EQ(error_of(wrong), Errc::refused);
  wrong = options(0);
  wrong.listen = "127.0.0.1:1";
  EXPECT_EQ(error_of(wrong), Errc::refused) << "any user of this machine could pose as a member";
  wrong = options(0);
  wrong.ttl = 100ms;
  EXPECT_EQ(error_of(wrong), Errc::refused);
  wrong = options(0);
  wrong.engine = "nosuch:x";
  EXPECT_EQ(error_of(wrong), Errc::refused);
  wrong = options(0);
  wrong.engine = "embedded:/nowhere/group.db";
  EXPECT_EQ(error_of(wrong), Errc::unreachable);
  const testing::Folder folder;
  Node fixed{{.members = {"unix:" + (folder / "m").string()},
              .state = (folder / "state").string(),
              .new_group = true}};
  EXPECT_THROW(fixed.leave_group(0ms), std::system_error);
}

}  // namespace
}  // namespace hapax
