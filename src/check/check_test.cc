// What holds and what does not, over every interleaving. The counts are pinned, so that a search
// that sees less fails; those of the message algorithms agree with an independent breadth-first
// search over the same classes, and Ricart–Agrawala's with SPIN (bench/spin).
#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "check/counterexample.h"
#include "check/run.h"
#include "voting/voting_sets.h"

namespace hapax {
namespace {


CheckReport run(std::string_view algorithm, const CheckOptions& options,
                const MutexChoices& choices = {}) {
  return check(algorithm, options, choices).value();
}

struct Pinned {
  std::string_view algorithm;
  std::uint64_t states;
  std::uint64_t transitions;
};

class Holds : public ::testing::TestWithParam<Pinned> {};

TEST_P(Holds, WithThreeProcessesThatAskOnce) {
  const CheckReport report = run(GetParam().algorithm, {.fences = false});
  EXPECT_EQ(report.verdict, Verdict::holds) << report.finding;
  EXPECT_EQ(report.states, GetParam().states);
  EXPECT_EQ(report.transitions, GetParam().transitions);
}

TEST_P(Holds, WithTwoProcessesThatAskThriceFromEveryStart) {
  for (const std::uint32_t holder : {0u, 1u}) {
    for (const bool held : {false, true}) {
      CheckOptions options{.n = 2, .entries = 3, .holder = NodeId{holder}, .held = held};
      const CheckReport report = run(GetParam().algorithm, options);
      EXPECT_EQ(report.verdict, Verdict::holds) << report.property << ": " << report.finding;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Mutex, Holds,
    ::testing::Values(Pinned{"central", 113, 204}, Pinned{"token-ring", 108, 207},
                      Pinned{"lamport", 529'584, 1'405'220},
                      Pinned{"ricart-agrawala", 2'189, 5'788},
                      Pinned{"carvalho-roucairol", 670, 1'522}, Pinned{"maekawa", 1'686, 3'393},
                      Pinned{"suzuki-kasami", 589, 1'610}, Pinned{"raymond", 136, 237},
                      Pinned{"naimi-trehel", 154, 264}, Pinned{"bakery", 78'001, 244'937},
                      Pinned{"dijkstra", 5'753, 15'635}, Pinned{"bakery-lock", 4'222, 9'610}));

TEST(Check, FencesAddTheLastTurnToTheState) {
  EXPECT_EQ(run("ricart-agrawala", {}).states, 2'233u);
  EXPECT_EQ(run("carvalho-roucairol", {}).states, 690u);
}

TEST(Check, MaekawaOfTheLectureDeadlocksInSixStepsOnTheTriangle) {
  const VotingSets sets = VotingSets::lecture(3).value();
  const CheckReport report = run("maekawa-basic", {}, {.voting_sets = &sets});
  EXPECT_EQ(report.verdict, Verdict::violated);
  EXPECT_EQ(report.property, "progress");
  // Twelve in a model in which a process sends its own vote to itself: ours are no messages.
  EXPECT_EQ(report.commands.size(), 6u);
}

TEST(Check, MaekawaOfTheLectureDeadlocksOnTheGridOfFour) {
  const VotingSets sets = VotingSets::lecture(4).value();
  const CheckReport report = run("maekawa-basic", {.n = 4}, {.voting_sets = &sets});
  EXPECT_EQ(report.property, "progress");
  EXPECT_EQ(report.commands.size(), 8u);
}

TEST(Check, MaekawaIsFreeOfDeadlockOnTheTriangleAndTheGridOfFour) {
  const VotingSets three = VotingSets::lecture(3).value();
  const CheckReport small = run("maekawa", {.fences = false}, {.voting_sets = &three});
  EXPECT_EQ(small.verdict, Verdict::holds);
  EXPECT_EQ(small.states, 725u);
  const VotingSets four = VotingSets::lecture(4).value();
  EXPECT_EQ(run("maekawa", {.n = 4}, {.voting_sets = &four}).verdict, Verdict::holds);
}

TEST(Check, LamportNeedsFifoChannels) {
  const CheckReport report = run("lamport", {.channels = Channels::unordered});
  EXPECT_EQ(report.verdict, Verdict::violated);
  EXPECT_EQ(report.property, "exclusion");
}

TEST(Check, RicartAgrawalaNeedsNeitherOrderNorSingleCopies) {
  EXPECT_EQ(run("ricart-agrawala", {.channels = Channels::unordered}).verdict, Verdict::holds);
  const CheckReport doubled =
      run("ricart-agrawala", {.channels = Channels::unordered, .duplicates = 2});
  EXPECT_EQ(doubled.verdict, Verdict::holds) << doubled.finding;
  const CheckReport again = run("ricart-agrawala", {.n = 2, .entries = 3, .duplicates = 2});
  EXPECT_EQ(again.verdict, Verdict::holds) << again.finding;
}

TEST(Check, ADoubledTokenLetsTwoIn) {
  EXPECT_EQ(run("token-ring", {.duplicates = 1}).property, "exclusion");
  EXPECT_EQ(run("naimi-trehel", {.entries = 2, .duplicates = 1}).verdict, Verdict::violated);
}

TEST(Check, CrashesAndLossNeverBreakTheSafetyOfPermissionsAndTokens) {
  for (const std::string_view algorithm :
       {"central", "ricart-agrawala", "suzuki-kasami", "maekawa"}) {
    const CheckReport report = run(algorithm, {.losses = 1, .crashes = 1});
    EXPECT_EQ(report.verdict, Verdict::holds) << algorithm << ": " << report.finding;
    EXPECT_NE(report.proved.find("not promised"), std::string::npos);
  }
}

TEST(Check, GivesUpWhenMemoryEndsAndSaysSo) {
  const CheckReport report = run("lamport", {.most_bytes = 1 << 20});
  EXPECT_EQ(report.verdict, Verdict::unfinished);
  EXPECT_LT(report.states, 529'584u);
}

TEST(Counterexample, IsATraceThatShowsTheViolation) {
  const CheckOptions options{.channels = Channels::unordered};
  const CheckReport report = run("lamport", options);
  const Script trace = trace_of("lamport", options, {}, report).value();
  const std::string& last = trace.blocks.back().outcome.back();
  EXPECT_NE(last.find("EXCLUSION VIOLATED"), std::string::npos) << trace.text();
  for (const ScriptBlock& block : trace.blocks) {
    for (const std::string& line : block.outcome) EXPECT_FALSE(line.starts_with("error")) << line;
  }
}

TEST(Check, RefusesWhatItCannotExplore) {
  EXPECT_FALSE(check("ricart-agrawala", {.n = 8}).has_value());
  EXPECT_FALSE(check("ricart-agrawala", {.n = 0}).has_value());
  EXPECT_FALSE(check("no-such-algorithm", {}).has_value());
  EXPECT_FALSE(check("lamport", {.holder = NodeId{3}}).has_value());
}

// What a loss or a crash costs, shown by one process that waits for ever and nothing else.
TEST(Check, ProgressIsNotExpectedUnderLossUnlessTold) {
  for (const bool expected : {false, true}) {
    const CheckOptions options{.losses = 1, .expect_progress = expected};
    const CheckReport report = run("ricart-agrawala", options);
    EXPECT_EQ(report.verdict, expected ? Verdict::violated : Verdict::holds);
    if (!expected) continue;
    EXPECT_EQ(report.property, "progress");
    const Script trace = trace_of("ricart-agrawala", options, {}, report).value();
    EXPECT_EQ(trace.blocks.size(), 5u) << trace.text();
    EXPECT_EQ(
        trace.blocks[0].comments[0],
        "# Progress violated after 4 steps: P1 waits for ever: no message is under way, nobody "
        "is inside.");
  }
}

// The crashed do not wait, and one that crashed inside is not inside.
TEST(Check, OnlyTheLivingAreOwedProgress) {
  const CheckOptions options{.n = 1, .crashes = 1, .expect_progress = true};
  EXPECT_EQ(run("ricart-agrawala", options).verdict, Verdict::holds);
  EXPECT_EQ(run("bakery-lock", options).verdict, Verdict::holds);
  EXPECT_EQ(run("semaphore", options).verdict, Verdict::holds);
}

TEST(Check, WhoStopsInTheDoorwayBlocksTheBakery) {
  const CheckReport report = run("bakery-lock", {.n = 2, .crashes = 1, .expect_progress = true});
  EXPECT_EQ(report.property, "progress");
  EXPECT_EQ(report.commands.size(), 8u);
  EXPECT_EQ(run("bakery-lock", {.n = 2, .crashes = 1}).verdict, Verdict::holds);
}

// With entries without end: the numbers of states are those of the models' own tests.
TEST(Check, DijkstraStarves) {
  const CheckReport report = run("dijkstra", {.n = 2, .forever = true});
  EXPECT_EQ(report.property, "starvation");
  EXPECT_EQ(report.states, 264u);
  EXPECT_EQ(report.round, 12u);
  const auto round = report.commands.end() - static_cast<std::ptrdiff_t>(report.round);
  EXPECT_NE(std::find(round, report.commands.end(), "P2 leaves"), report.commands.end());
  EXPECT_NE(std::find(round, report.commands.end(), "P1: L1: read turn"), report.commands.end())
      << "fair: P1 goes on, too";
  EXPECT_EQ(run("dijkstra", {.n = 3, .forever = true}).states, 8'084u);
}

TEST(Check, ASemaphoreStarves) {
  const CheckReport report = run("semaphore", {.n = 2, .forever = true});
  EXPECT_EQ(report.property, "starvation");
  EXPECT_EQ(report.commands.size(), 6u);
  EXPECT_EQ(report.round, 5u);
}

}  // namespace
}  // namespace hapax
