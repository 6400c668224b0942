#include "check/search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "check/row_layout.h"
#include "check/run.h"
#include "check/team.h"
#include "core/clocks.h"

namespace hapax {
namespace {

TEST(RowLayout, KeepsEveryFieldApartFromTheOthers) {
  const RowLayout layout{{10, 10, 31, 20, 1, 32, 32, 5}};
  EXPECT_EQ(layout.words(), 3u);
  std::vector<std::uint64_t> row(layout.words(), 0);
  for (std::uint32_t f = 0; f < 8; ++f) layout.set(row.data(), f, f % 2);
  layout.set(row.data(), 2, 0x7fff'ffff);
  layout.set(row.data(), 5, 0xffff'ffff);
  EXPECT_EQ(layout.get(row.data(), 1), 1u);
  EXPECT_EQ(layout.get(row.data(), 2), 0x7fff'ffffu);
  EXPECT_EQ(layout.get(row.data(), 3), 1u);
  EXPECT_EQ(layout.get(row.data(), 4), 0u);
  EXPECT_EQ(layout.get(row.data(), 5), 0xffff'ffffu);
  EXPECT_EQ(layout.get(row.data(), 6), 0u);
  EXPECT_EQ(layout.get(row.data(), 7), 1u);
}

RC_GTEST_PROP(States, GiveEachRowOneNumber, (const std::vector<std::uint8_t>& values)) {
  States states{2, 4};
  std::vector<std::uint8_t> seen;
  for (const std::uint8_t value : values) {
    const std::uint64_t row[2] = {value, ~std::uint64_t{value}};
    const auto [number, is_new] = states.insert(row, states.hash(row));
    const auto at = std::find(seen.begin(), seen.end(), value);
    RC_ASSERT(is_new == (at == seen.end()));
    RC_ASSERT(number == static_cast<std::uint32_t>(at - seen.begin()));
    if (is_new) seen.push_back(value);
  }
  RC_ASSERT(states.size() == seen.size());
}

TEST(States, KeepTheirNumbersWhenTheyGrowAndChangeShape) {
  States states{1, 1};
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    EXPECT_EQ(states.insert(&i, states.hash(&i)).first, i);
  }
  states.reshape(2, [](const std::uint64_t* old, std::uint64_t* row) {
    row[0] = 7;
    row[1] = *old;
  });
  for (std::uint64_t i = 0; i < 100'000; i += 99) {
    const std::uint64_t row[2] = {7, i};
    EXPECT_EQ(states.find(row), i);
  }
}

TEST(Team, EverybodyDoesEveryJobAndWhatOneThrowsIsThrown) {
  Team team{3};
  std::vector<int> done(3);
  for (int round = 0; round < 100; ++round) team.run([&](unsigned t) { ++done[t]; });
  EXPECT_EQ(done, (std::vector<int>{100, 100, 100}));
  EXPECT_THROW(team.run([](unsigned t) {
    if (t == 1) throw std::runtime_error{"one"};
  }),
               std::runtime_error);
  team.run([&](unsigned t) { ++done[t]; });
  EXPECT_EQ(done[1], 101);
}

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
TEST(Threads, ChangeNothing) {
  for (const unsigned threads : {2u, 3u, 8u}) {
    for (const std::string_view algorithm : {"ricart-agrawala", "maekawa", "naimi-trehel"}) {
      const CheckReport alone = check(algorithm, {}).value();
      const CheckReport together = check(algorithm, {.threads = threads}).value();
      EXPECT_EQ(together.states, alone.states) << algorithm;
      EXPECT_EQ(together.transitions, alone.transitions) << algorithm;
      EXPECT_EQ(together.depth, alone.depth) << algorithm;
      EXPECT_EQ(together.proved, alone.proved) << algorithm;
    }
    const CheckReport alone = check("lamport", {.channels = Channels::unordered}).value();
    const CheckReport together =
        check("lamport", {.channels = Channels::unordered, .threads = threads}).value();
    EXPECT_EQ(together.commands, alone.commands);
    EXPECT_EQ(together.finding, alone.finding);
  }
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
