// Searches that go on for ever, and by several threads.
#include <gtest/gtest.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "check/run.h"
#include "core/clocks.h"

namespace hapax {
namespace {

struct Note {
  Clock clock{};
  std::vector<std::pair<NodeId, Turn>> turns;
  std::optional<Clock> none;
  HAPAX_RECORD(Note, clock, turns, none)
};

TEST(Clocks, AreCountedFromTheLowestWherever) {
  const Note note{Clock{7}, {{NodeId{3}, Turn{5}}, {NodeId{4}, Turn{0}}}, std::nullopt};
  EXPECT_EQ(lowest_clock(note), 5u);
  const Note lowered = with_clocks_lowered(note, 4);
  EXPECT_EQ(lowered.clock, Clock{3});
  EXPECT_EQ(lowered.turns[0].second, Turn{1});
  EXPECT_EQ(lowered.turns[1].second, Turn{0});
  EXPECT_EQ(lowest_clock(NodeId{3}), kNoClock);
}

// Threads must change nothing but the time it takes: numbers, counts, the counterexample.
void expect_threads_change_nothing(std::string_view algorithm, CheckOptions options,
                                   unsigned threads) {
  const CheckReport alone = check(algorithm, options).value();
  options.threads = threads;
  const CheckReport together = check(algorithm, options).value();
  EXPECT_EQ(together.states, alone.states) << algorithm;
  EXPECT_EQ(together.transitions, alone.transitions) << algorithm;
  EXPECT_EQ(together.depth, alone.depth) << algorithm;
  EXPECT_EQ(together.proved, alone.proved) << algorithm;
  EXPECT_EQ(together.finding, alone.finding) << algorithm;
  EXPECT_EQ(together.commands, alone.commands) << algorithm;
}

TEST(Threads, ChangeNothing) {
  for (const unsigned threads : {2u, 3u, 8u}) {
    for (const std::string_view algorithm : {"ricart-agrawala", "maekawa", "naimi-trehel"}) {
      expect_threads_change_nothing(algorithm, {}, threads);
    }
    expect_threads_change_nothing("lamport", {.channels = Channels::unordered}, threads);
  }
}

// Narrow levels one thread does alone.
TEST(Threads, ChangeNothingWhereLevelsAreWide) {
  expect_threads_change_nothing("suzuki-kasami",
                                {.entries = 2, .channels = Channels::unordered, .crashes = 1}, 3);
  expect_threads_change_nothing("lamport", {.n = 4, .channels = Channels::unordered}, 2);
  expect_threads_change_nothing("lamport", {.forever = true, .channels = Channels::unordered}, 2);
}

TEST(Forever, StatesComeAgainWhenClocksAreCountedFromTheLowest) {
  const struct {
    std::string_view algorithm;
    std::uint64_t states;
  } kPinned[] = {{"central", 74},
                 {"token-ring", 60},
                 {"ricart-agrawala", 5'823},
                 {"raymond", 104},
                 {"naimi-trehel", 302}};
  for (const auto& [algorithm, states] : kPinned) {
    const CheckReport report = check(algorithm, {.forever = true}).value();
    EXPECT_EQ(report.verdict, Verdict::holds) << algorithm << ": " << report.finding;
    EXPECT_EQ(report.states, states) << algorithm;
    EXPECT_NE(report.proved.find("everybody who waits enters"), std::string::npos);
  }
}

TEST(Forever, DijkstraAndTheSemaphoreLetSomebodyStarve) {
  for (const std::string_view algorithm : {"dijkstra", "semaphore"}) {
    const CheckReport report = check(algorithm, {.n = 2, .forever = true}).value();
    EXPECT_EQ(report.property, "starvation") << algorithm;
    EXPECT_GT(report.round, 0u);
    EXPECT_LT(report.round, report.commands.size());
  }
}

TEST(Forever, IsRefusedWhereStatesDoNotComeAgain) {
  for (const std::string_view algorithm :
       {"maekawa", "carvalho-roucairol", "suzuki-kasami", "bakery", "bakery-lock"}) {
    EXPECT_FALSE(check(algorithm, {.forever = true}).has_value()) << algorithm;
  }
}

}  // namespace
}  // namespace hapax
