#include "loop/wakefulness.h"

#include <array>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "loop/descriptor.h"
#include "loop/event_wait.h"
#include "loop/loop.h"

namespace {

// What happens after a look in vain of one who is awake.
thread_local std::function<void()> meanwhile;

}  // namespace

// In place of the C library's.
extern "C" int epoll_wait(int epoll, epoll_event* events, int most, int patience) {
  const int count = epoll_pwait(epoll, events, most, patience, nullptr);
  if (count == 0 && patience == 0 && meanwhile) meanwhile();
  return count;
}

namespace hapax {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = Wakefulness::Clock;

class WakefulnessTest : public ::testing::Test {
 protected:
  ~WakefulnessTest() override { meanwhile = {}; }

  Clock::time_point soon() const { return Clock::now() + seconds{10}; }
  // How many waits it sleeps through before it is awake in one.
  int sleeps(Clock::time_point now) {
    int count = 0;
    while (!wakefulness.is_next_awake(now)) ++count;
    return count;
  }

  Wakefulness wakefulness;
};

TEST_F(WakefulnessTest, SleepsLongerAfterEachMomentInVain) {
  const Clock::time_point now{};
  EXPECT_EQ(sleeps(now), Wakefulness::kFirstSleeps);
  EXPECT_EQ(sleeps(now), 0);
  std::vector<int> slept;
  for (int i = 0; i < 8; ++i) {
    wakefulness.came_not();
    slept.push_back(sleeps(now));
  }
  EXPECT_EQ(slept, (std::vector{1, 2, 4, 8, 16, 32, 64, 64}));
  wakefulness.came();
  EXPECT_EQ(sleeps(now), 0);
  wakefulness.came_not();
  EXPECT_EQ(sleeps(now), 1);
}

TEST_F(WakefulnessTest, SleepsWhileOthersWantTheProcessor) {
  const Clock::time_point now{};
  sleeps(now);
  wakefulness.was_kept_waiting(now, milliseconds{3});
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(
        wakefulness.is_next_awake(now + Wakefulness::kPause * milliseconds{3} - milliseconds{1}));
  }
  EXPECT_TRUE(wakefulness.is_next_awake(now + Wakefulness::kPause * milliseconds{3}));
}

// Once more where the machine takes the processor away meanwhile.
TEST_F(WakefulnessTest, FindsWhatIsThereAtASecondLook) {
  bool is_found = false;
  for (int i = 0; i < 100 && !is_found; ++i) {
    Wakefulness fresh;
    while (!fresh.is_next_awake(Clock::now())) {
    }
    int looks = 0;
    is_found = fresh.finds(soon(), [&] { return ++looks > 1; });
  }
  EXPECT_TRUE(is_found);
}

TEST_F(WakefulnessTest, LooksForAMomentOnly) {
  sleeps(Clock::now());
  const auto began = Clock::now();
  EXPECT_FALSE(wakefulness.finds(soon(), [] { return false; }));
  EXPECT_GE(Clock::now() - began, Wakefulness::kMoment);
  EXPECT_LT(Clock::now() - began, seconds{5});
}

TEST_F(WakefulnessTest, SleepsIfTimeIsAlmostUp) {
  sleeps(Clock::now());
  const auto look = [] { return true; };
  EXPECT_FALSE(wakefulness.finds(Clock::now(), look));
  EXPECT_FALSE(wakefulness.finds(Clock::time_point::min(), look));
  EXPECT_TRUE(wakefulness.finds(Clock::time_point::max(), look));
}

// Whoever has to wait for the processor had better have slept.
TEST_F(WakefulnessTest, FindsOutThatOthersWantTheProcessor) {
  sleeps(Clock::now());
  bool has_come = false;
  const auto look = [&] {
    std::this_thread::sleep_for(100 * Wakefulness::kTooLong);
    return std::exchange(has_come, true);
  };
  EXPECT_TRUE(wakefulness.finds(soon(), look));
  EXPECT_FALSE(wakefulness.is_next_awake(Clock::now()));
  EXPECT_TRUE(wakefulness.is_next_awake(Clock::now() + seconds{100}));
}

// In a process of its own, since it is asked for once.
TEST_F(WakefulnessTest, SleepsWhereItIsNotAllowed) {
  EXPECT_EXIT(
      {
        // The fixture's has asked already.
        setenv("HAPAX_AWAKE", "no", 1);
        if (freopen("/dev/null", "w", stdout) == nullptr) _exit(2);
        execl("/proc/self/exe", "self", "--gtest_filter=Awake.*", nullptr);
      },
      ::testing::ExitedWithCode(1), "");
}
TEST(Awake, FindsWhatIsThere) {
  Wakefulness wakefulness;
  while (!wakefulness.is_next_awake(Clock::now())) {
  }
  EXPECT_TRUE(wakefulness.finds(Clock::now() + seconds{10}, [] { return true; }));
}

// One that slept would not be told: nobody writes then.
TEST_F(WakefulnessTest, ALoopIsAwakeForWhatComesAtOnce) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  Loop loop;
  Readiness arrival{loop, ends[0]};
  bool has_arrived = false;
  arrival.await_readable([&] { has_arrived = true; });
  for (int i = 0; i < Wakefulness::kFirstSleeps; ++i) loop.run_for(milliseconds{1});
  EXPECT_FALSE(has_arrived);
  meanwhile = [&] { EXPECT_EQ(write(ends[1], "x", 1), 1); };
  loop.run_for(milliseconds{200});
  EXPECT_TRUE(has_arrived);
  arrival.close();
  for (const int end : ends) close(end);
}

}  // namespace
}  // namespace hapax
