#include "loop/wakefulness.h"

#include <array>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <unistd.h>
#include <vector>

#include "loop/descriptor.h"
#include "loop/event_wait.h"
#include "loop/loop.h"

namespace {

// What happens while others have the processor.
thread_local std::function<void()> meanwhile;

}  // namespace

// In place of the C library's.
extern "C" int sched_yield() noexcept {
  if (meanwhile) meanwhile();
  return 0;
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
  // How many waits it sleeps through before it tries again.
  int sleeps(Clock::time_point now) {
    int count = 0;
    while (!wakefulness.tries(now)) ++count;
    return count;
  }

  Wakefulness wakefulness;
};

TEST_F(WakefulnessTest, SleepsLongerAfterEachMomentInVain) {
  const Clock::time_point now{};
  EXPECT_EQ(sleeps(now), 0);
  std::vector<int> slept;
  for (int i = 0; i < 8; ++i) {
    wakefulness.came_not(now, {});
    slept.push_back(sleeps(now));
  }
  EXPECT_EQ(slept, (std::vector{1, 2, 4, 8, 16, 32, 64, 64}));
  wakefulness.came();
  EXPECT_EQ(sleeps(now), 0);
  wakefulness.came_not(now, {});
  EXPECT_EQ(sleeps(now), 1);
}

TEST_F(WakefulnessTest, SleepsWhileOthersWantTheProcessor) {
  const Clock::time_point now{};
  wakefulness.came_not(now, milliseconds{3});
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(wakefulness.tries(now + Wakefulness::kLeftAlone - milliseconds{1}));
  }
  EXPECT_EQ(sleeps(now + Wakefulness::kLeftAlone), 1);
}

TEST_F(WakefulnessTest, FindsWhatComesWhileOthersHaveTheProcessor) {
  bool has_come = false;
  meanwhile = [&] { has_come = true; };
  EXPECT_TRUE(wakefulness.finds(soon(), [&] { return has_come; }));
}

TEST_F(WakefulnessTest, LooksForAMomentOnly) {
  const auto began = Clock::now();
  EXPECT_FALSE(wakefulness.finds(soon(), [] { return false; }));
  EXPECT_GE(Clock::now() - began, Wakefulness::kMoment);
}

TEST_F(WakefulnessTest, LooksOnceIfTimeIsUp) {
  int looks = 0;
  EXPECT_FALSE(wakefulness.finds(Clock::now(), [&] { return ++looks > 1000; }));
  EXPECT_EQ(looks, 1);
}

// In a process of its own, since it is asked for once.
TEST_F(WakefulnessTest, SleepsWhereItIsNotAllowed) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        setenv("HAPAX_AWAKE", "no", 1);
        _exit(wakefulness.finds(soon(), [] { return true; }) ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

// One that slept would not be told: nobody writes then.
TEST_F(WakefulnessTest, ALoopIsAwakeForWhatComesAtOnce) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  Loop loop;
  Readiness arrival{loop, ends[0]};
  bool has_arrived = false;
  arrival.await_readable([&] { has_arrived = true; });
  meanwhile = [&] { EXPECT_EQ(write(ends[1], "x", 1), 1); };
  loop.run_for(milliseconds{200});
  EXPECT_TRUE(has_arrived);
  arrival.close();
  for (const int end : ends) close(end);
}

}  // namespace
}  // namespace hapax
