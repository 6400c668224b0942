#include "loop/loop.h"

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "loop/descriptor.h"
#include "loop/signals.h"
#include "loop/timer.h"

namespace hapax {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;

struct Counting final : Loop::Gatherer {
  void on_end_of_turn() override {
    ++told;
    if (then) std::exchange(then, {})();
  }
  int told = 0;
  std::function<void()> then;
};

TEST(Loop, TellsAtTheEndOfATurnOfSeveralTasks) {
  Loop loop;
  const auto who = std::make_shared<Counting>();
  std::vector<int> told_before;
  for (int i = 0; i < 3; ++i) {
    loop.post([&, i] {
      told_before.push_back(who->told);
      if (i == 0) loop.tell_at_end(who);
    });
  }
  EXPECT_EQ(loop.run(), 3u);
  EXPECT_EQ(told_before, (std::vector{0, 0, 0}));
  EXPECT_EQ(who->told, 1);
}

TEST(Loop, TellsWhatWasGatheredOutsideOfATurnWhenItNextRuns) {
  Loop loop;
  const auto who = std::make_shared<Counting>();
  who->then = [&] { loop.tell_at_end(who); };
  loop.tell_at_end(who);
  EXPECT_EQ(who->told, 0);
  EXPECT_EQ(loop.poll(), 0u);
  EXPECT_EQ(who->told, 2) << "also what is gathered at the end";
}

TEST(Loop, LooksAtDescriptorsAlthoughTasksComeAgainAndAgain) {
  Loop loop;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  Readiness readable{loop, ends[0]};
  bool is_read = false;
  readable.await_readable([&] { is_read = true; });
  int rounds = 0;
  std::function<void()> again = [&] {
    if (rounds == 2) ASSERT_EQ(write(ends[1], "x", 1), 1);
    if (!is_read && ++rounds < 1000) loop.post([&] { again(); });
  };
  loop.post([&] { again(); });
  loop.run();
  EXPECT_TRUE(is_read);
  EXPECT_LT(rounds, 10);
  readable.close();
  for (const int end : ends) close(end);
}

TEST(Loop, LooksAtOthersAlthoughOneIsReadyAgainAndAgain) {
  Loop loop;
  std::array<int, 2> ends{};
  std::array<int, 2> others{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  ASSERT_EQ(pipe2(others.data(), O_NONBLOCK), 0);
  Readiness busy{loop, ends[0]};
  Readiness other{loop, others[0]};
  int rounds = 0;
  bool is_read = false;
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  std::function<void()> again = [&] {
    if (rounds == 2) ASSERT_EQ(write(others[1], "x", 1), 1);
    if (!is_read && ++rounds < 1000) busy.await_readable([&] { again(); });
  };
  busy.await_readable([&] { again(); });
  other.await_readable([&] { is_read = true; });
  loop.run();
  EXPECT_TRUE(is_read);
  EXPECT_LT(rounds, 10);
  for (Readiness* one : {&busy, &other}) one->close();
  for (const auto& both : {ends, others}) {
    for (const int end : both) close(end);
  }
}

TEST(Loop, IsWokenByAnotherThread) {
  Loop loop;
  const Loop::Work work{loop};
  bool is_done = false;
  std::thread other{[&] {
    std::this_thread::sleep_for(milliseconds{20});
    loop.post([&] {
      is_done = true;
      loop.stop();
    });
  }};
  loop.run();
  other.join();
  EXPECT_TRUE(is_done);
  EXPECT_TRUE(loop.stopped());
}

// What it drops may count on those that are gone by then: a line of requests, say, whose timers say
// that they are cancelled.
TEST(Loop, DoesNothingMoreOnceItIsStopped) {
  Loop loop;
  const Loop::Work work{loop};
  bool is_done = false;
  loop.post([&] {
    loop.post([&] { is_done = true; });
    loop.stop();
  });
  loop.run();
  EXPECT_FALSE(is_done);
  loop.restart();
  loop.poll();
  EXPECT_TRUE(is_done);
}

TEST(Loop, IsStoppedByAnotherThread) {
  Loop loop;
  const Loop::Work work{loop};
  std::thread other{[&] {
    std::this_thread::sleep_for(milliseconds{20});
    loop.stop();
  }};
  loop.run();
  other.join();
  EXPECT_TRUE(loop.stopped());
}

TEST(Loop, DropsWhatComesAfterItsEnd) {
  const auto held = std::make_shared<int>();
  std::shared_ptr<Inbox> inbox;
  {
    Loop loop;
    inbox = loop.inbox();
    loop.post([held] {});
  }
  inbox->post([held] {});
  EXPECT_EQ(held.use_count(), 1);
}

// As everything that waits for itself does.
TEST(Loop, LetsGoOfWhoeverWaitsAtItsEnd) {
  struct Waiting {
    explicit Waiting(Loop& loop, int fd) : timer(loop), ready(loop, fd) {}
    Timer timer;
    Readiness ready;
  };
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  std::weak_ptr<Waiting> weak;
  {
    Loop loop;
    const auto waiting = std::make_shared<Waiting>(loop, ends[0]);
    weak = waiting;
    waiting->timer.expires_after(std::chrono::hours{1});
    waiting->timer.async_wait([waiting](const error_code&) {});
    waiting->ready.await_readable([waiting] {});
  }
  EXPECT_TRUE(weak.expired());
  for (const int end : ends) close(end);
}

TEST(Timer, ComesInOrderAndTellsWhenItIsCancelled) {
  Loop loop;
  std::string order;
  Timer late{loop, milliseconds{20}};
  Timer early{loop, milliseconds{5}};
  Timer never{loop, std::chrono::hours{1}};
  late.async_wait([&](const error_code& failed) { order += failed ? 'x' : 'l'; });
  never.async_wait([&](const error_code& failed) { order += failed ? 'c' : 'x'; });
  early.async_wait([&](const error_code& failed) {
    order += failed ? 'x' : 'e';
    never.cancel();
  });
  const auto begin = Loop::Clock::now();
  EXPECT_EQ(loop.run(), 3u);
  EXPECT_EQ(order, "ecl");
  EXPECT_GE(Loop::Clock::now() - begin, milliseconds{20});
}

TEST(Timer, IsCancelledEvenAtTheMomentItIsDue) {
  Loop loop;
  Timer first{loop, milliseconds{0}};
  Timer second{loop, milliseconds{0}};
  bool was_cancelled = false;
  first.async_wait([&](const error_code&) { second.cancel(); });
  second.async_wait([&](const error_code& failed) { was_cancelled = failed.failed(); });
  loop.run();
  EXPECT_TRUE(was_cancelled);
}

// What the kernel has told of a descriptor may be read after another has its number.
TEST(Descriptor, HearsNothingThatWasMeantForTheOneBefore) {
  Loop loop;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  auto old = std::make_unique<Readiness>(loop, ends[0]);
  old->await_readable([] { FAIL() << "it is gone"; });
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  const Loop::Seen seen = loop.await(Loop::Clock::now() + std::chrono::seconds{5});
  EXPECT_EQ(seen.count, 1);
  old.reset();
  std::array<int, 2> others{};
  ASSERT_EQ(pipe2(others.data(), O_NONBLOCK), 0);
  Readiness fresh{loop, others[0]};
  fresh.await_readable([] { FAIL() << "nobody has written to it"; });
  loop.note(seen);
  loop.poll();
  fresh.close();
  for (const auto& both : {ends, others}) {
    for (const int end : both) close(end);
  }
}

TEST(Signals, AreToldOneAfterTheOther) {
  Loop loop;
  std::vector<int> heard;
  {
    Signals signals{loop, {SIGUSR1, SIGUSR2}};
    ASSERT_EQ(raise(SIGUSR1), 0);
    ASSERT_EQ(raise(SIGUSR2), 0);
    signals.await([&](int first) {
      heard.push_back(first);
      signals.await([&](int second) { heard.push_back(second); });
    });
    loop.run();
    EXPECT_EQ(heard, (std::vector{SIGUSR1, SIGUSR2}));
    loop.restart();
    signals.await([](int) { FAIL() << "nobody waits any more"; });
    signals.cancel();
    ASSERT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(loop.run(), 1u) << "what was dropped";
  }
}

}  // namespace
}  // namespace hapax
