#include "member/shared_loop.h"

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <semaphore>
#include <sys/epoll.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "loop/descriptor.h"
#include "loop/timer.h"

namespace {

// The next time that this thread looks for events, it waits for somebody to let it.
thread_local bool is_slow = false;
std::binary_semaphore about_to_look{0};
std::binary_semaphore may_look{0};
// The most looks in vain, one after the other, that any thread has taken without sleeping.
std::atomic<int> looks_awake{0};
thread_local int looks_in_a_row = 0;

}  // namespace

// In place of the C library's.
extern "C" int epoll_wait(int epoll, epoll_event* events, int most, int patience) {
  if (std::exchange(is_slow, false)) {
    about_to_look.release();
    may_look.acquire();
  }
  const int count = epoll_pwait(epoll, events, most, patience, nullptr);
  looks_in_a_row = count == 0 && patience == 0 ? looks_in_a_row + 1 : 0;
  if (looks_in_a_row > looks_awake) looks_awake = looks_in_a_row;
  return count;
}

namespace hapax::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Runs one, with something to wait for.
class SharedLoopTest : public ::testing::Test {
 protected:
  SharedLoopTest() {
    shared.visit([this] { work.emplace(shared.loop()); });
    shared.start();
  }
  ~SharedLoopTest() override {
    shared.visit([this] { work.reset(); });
    shared.finish();
  }
  // Whether that was before its time was over.
  template <class Begin>
  bool is_woken(SharedLoop::Waiter& waiter, Begin begin) {
    const auto deadline = steady_clock::now() + seconds{5};
    shared.await(waiter, deadline, begin, [&] { shared.wake(waiter); });
    return steady_clock::now() < deadline;
  }

  SharedLoop shared;
  std::optional<Loop::Work> work;
};

TEST_F(SharedLoopTest, RunsTimersWhileSomebodyWaits) {
  Timer timer{shared.loop()};
  SharedLoop::Waiter waiter;
  EXPECT_TRUE(is_woken(waiter, [&] {
    timer.expires_after(milliseconds{20});
    timer.async_wait([&](const auto&) { shared.wake(waiter); });
  }));
}

TEST_F(SharedLoopTest, DoesWhatIsPostedWhileSomebodyWaits) {
  SharedLoop::Waiter waiter;
  std::thread other{[&] {
    std::this_thread::sleep_for(milliseconds{20});
    shared.post([&] { shared.wake(waiter); });
  }};
  EXPECT_TRUE(is_woken(waiter, [] {}));
  other.join();
}

TEST_F(SharedLoopTest, ItsResidentIsAwakeForAMoment) {
  std::binary_semaphore done{0};
  for (int i = 0; i < 1000 && looks_awake < 4; ++i) {
    shared.post([&] { done.release(); });
    done.acquire();
    std::this_thread::sleep_for(milliseconds{1});
  }
  EXPECT_GE(looks_awake, 4);
}

// Between what wakes the one that waits and the moment that it looks, the resident may look.
TEST_F(SharedLoopTest, WakesOneThatIsSlowToLook) {
  SharedLoop::Waiter waiter;
  std::thread slow{[&] {
    is_slow = true;
    EXPECT_TRUE(is_woken(waiter, [] {}));
  }};
  about_to_look.acquire();
  Timer timer{shared.loop()};
  shared.visit([&] {
    shared.wake(waiter);
    timer.expires_after(milliseconds{0});  // For which the resident is woken, too.
    timer.async_wait([](const auto&) { may_look.release(); });
  });
  slow.join();
}

// Whoever wakes them: a thread that visits, one that posts, a timer, or what comes in.
TEST_F(SharedLoopTest, WakesEverybodyWhoeverWakesThem) {
  constexpr int kTimes = 500;
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  std::optional<Readiness> bell;
  std::vector<SharedLoop::Waiter*> called;  // By the bell.
  const std::function<void()> listen = [&] {
    bell->await_readable([&] {
      char one = 0;
      while (read(ends[0], &one, 1) == 1) {
      }
      bell->has_nothing();
      for (auto* const waiter : std::exchange(called, {})) shared.wake(*waiter);
      listen();
    });
  };
  shared.visit([&] {
    bell.emplace(shared.loop(), ends[0]);
    listen();
  });
  std::atomic<int> late = 0;
  const auto wait_often = [&](int who) {
    for (int i = 0; i < kTimes && late == 0; ++i) {
      SharedLoop::Waiter waiter;
      Timer timer{shared.loop()};
      std::optional<std::thread> other;
      const bool is_in_time = is_woken(waiter, [&] {
        switch ((who + i) % 4) {
          case 0:
            other.emplace([&] { shared.visit([&] { shared.wake(waiter); }); });
            break;
          case 1:
            other.emplace([&] { shared.post([&] { shared.wake(waiter); }); });
            break;
          case 2:
            timer.expires_after(std::chrono::microseconds{i % 7 * 300});
            timer.async_wait([&](const auto&) { shared.wake(waiter); });
            break;
          default:
            called.push_back(&waiter);
            other.emplace([&] { ASSERT_EQ(write(ends[1], "!", 1), 1); });
        }
      });
      if (!is_in_time) ++late;
      if (other) other->join();
    }
  };
  std::vector<std::thread> all;
  for (int who = 0; who < 4; ++who) all.emplace_back(wait_often, who);
  for (std::thread& one : all) one.join();
  EXPECT_EQ(late, 0);
  shared.visit([&] { bell.reset(); });
  for (const int end : ends) close(end);
}

}  // namespace
}  // namespace hapax::client
