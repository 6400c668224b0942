// Planted bugs (mutex/testing/bugs_*.h) that the simulator's own checks must catch, each beside the
// real algorithm, which shows nothing under the very same options and seeds.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "mutex/bakery.h"
#include "mutex/carvalho_roucairol.h"
#include "mutex/central.h"
#include "mutex/lamport.h"
#include "voting/maekawa.h"
#include "mutex/naimi_trehel.h"
#include "mutex/ricart_agrawala.h"
#include "mutex/suzuki_kasami.h"
#include "mutex/testing/bugs_bakery.h"
#include "mutex/testing/bugs_carvalho_roucairol.h"
#include "mutex/testing/bugs_central.h"
#include "mutex/testing/bugs_lamport.h"
#include "mutex/testing/bugs_maekawa.h"
#include "mutex/testing/bugs_naimi_trehel.h"
#include "mutex/testing/bugs_ricart_agrawala.h"
#include "mutex/testing/bugs_suzuki_kasami.h"
#include "mutex/testing/bugs_token_ring.h"
#include "mutex/testing/mutant.h"
#include "mutex/token_ring.h"
#include "sim/simulation.h"
#include "voting/voting_sets.h"

namespace hapax {
namespace {

using testing::HandsAllOn;
using testing::Mutant;
using Kind = Violation::Kind;

// --- running ---

template <MutexAlgorithm A>
SimReport run(SimOptions options, std::uint64_t seed,
              const typename OptionsOf<A>::Type& algorithm_options = {}) {
  options.seed = seed;
  Prng prng{~seed};
  FaultPlan faults = FaultPlan::draw(options.faults, options.n, prng).value();
  return Simulation<A>{std::move(options), std::move(faults), algorithm_options}.run();
}

bool shows(const SimReport& report, Kind kind) {
  return std::any_of(report.violations.begin(), report.violations.end(),
                     [&](const Violation& v) { return v.kind == kind; });
}

std::string kind_of_violation(const SimReport& report) {
  if (report.violations.empty()) return "none";
  return fmt::format("{}: {}", name_of(report.violations[0].kind), report.violations[0].text);
}

// Seeds 1 … kSeeds: the real algorithm shows nothing in any run, and the mutant shows `kind` in one
// of them.
constexpr std::uint64_t kSeeds = 20;

template <class Real, class Wrong>
void expect_caught(Kind kind, Real&& real, Wrong&& wrong) {
  std::string seen;
  bool caught = false;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const SimReport sound = real(seed);
    EXPECT_EQ(sound.violation_count, 0u)
        << "without the bug, seed " << seed << ": " << kind_of_violation(sound);
    if (caught) continue;
    const SimReport report = wrong(seed);
    caught = shows(report, kind);
    if (caught) ::testing::Test::RecordProperty("seed", std::to_string(seed));
    seen = kind_of_violation(report);
  }
  EXPECT_TRUE(caught) << "seeds 1 to " << kSeeds << " show no violation of " << name_of(kind)
                      << "; the last one showed: " << seen;
}

template <MutexAlgorithm A, class Bug>
void expect_caught(Kind kind, const SimOptions& options,
                   const typename OptionsOf<A>::Type& algorithm_options = {}) {
  expect_caught(
      kind, [&](std::uint64_t seed) { return run<A>(options, seed, algorithm_options); },
      [&](std::uint64_t seed) { return run<Mutant<A, Bug>>(options, seed, algorithm_options); });
}

// The bug is in the network: an algorithm that needs FIFO channels does not get them.
template <MutexAlgorithm A>
void expect_needs_fifo(Kind kind, SimOptions options,
                       const typename OptionsOf<A>::Type& algorithm_options = {}) {
  const auto run_over = [&](Channels channels, std::uint64_t seed) {
    options.channels = channels;
    return run<A>(options, seed, algorithm_options);
  };
  expect_caught(
      kind, [&](std::uint64_t seed) { return run_over(Channels::fifo, seed); },
      [&](std::uint64_t seed) { return run_over(Channels::unordered, seed); });
}

// Everybody asks all the time, and messages take long or short.
SimOptions crowd(std::uint32_t n) {
  SimOptions options;
  options.n = n;
  options.entries = 500;
  options.load.kind = Load::Kind::high;
  options.latency = Latency::parse("exp:1ms").value();
  options.inside = 2 * kMillisecond;
  return options;
}

// Somebody asks now and then, `rate` times a second in all, often while somebody else wants to
// enter. Unlike in a crowd, an early request may come late.
SimOptions visitors(std::uint32_t n, double rate, Nanos inside) {
  SimOptions options = crowd(n);
  options.load = {Load::Kind::poisson, rate};
  options.inside = inside;
  return options;
}

VotingSets listed(const std::vector<std::vector<std::uint32_t>>& sets) {
  std::vector<std::vector<NodeId>> ids;
  for (const auto& set : sets) {
    ids.emplace_back();
    for (const std::uint32_t node : set) ids.back().push_back(NodeId{node});
  }
  return VotingSets::listed(ids).value();
}

// --- no bug ---

// What is caught below is the bug, not the wrapper around it.
TEST(Mutants, AMutantWithoutABugRunsLikeTheRealAlgorithm) {
  SimOptions options = visitors(9, 200, kMillisecond);
  options.self_check = true;
  const SimReport real = run<Maekawa>(options, 1);
  const SimReport wrapped = run<Mutant<Maekawa, HandsAllOn<Maekawa>>>(options, 1);
  EXPECT_EQ(wrapped.fingerprint, real.fingerprint);
  EXPECT_EQ(wrapped.messages, real.messages);
  EXPECT_EQ(wrapped.entries, 500u);
}

// --- Ricart-Agrawala ---

TEST(Mutants, RicartAgrawalaCountsRepliesWhileMessagesAreDoubled) {
  SimOptions options = crowd(5);
  options.faults = {parse_fault("dup:0.05").value()};
  expect_caught<RicartAgrawala, bugs::CountsReplies>(Kind::exclusion, options);
}

// Without duplicates a count does as well as a set: it is the duplicates that show the bug.
TEST(Mutants, RicartAgrawalaThatCountsRepliesIsNotCaughtWithoutDuplicates) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto report = run<Mutant<RicartAgrawala, bugs::CountsReplies>>(crowd(5), seed);
    EXPECT_EQ(report.violation_count, 0u) << "seed " << seed << ": " << kind_of_violation(report);
  }
}

TEST(Mutants, RicartAgrawalaFlipsTheComparison) {
  expect_caught<RicartAgrawala, bugs::FlipsTheComparison>(Kind::exclusion, crowd(3));
}

TEST(Mutants, RicartAgrawalaDoesNotRaiseTheClockOnRequestsAndLetsTwoIn) {
  expect_caught<RicartAgrawala, bugs::LetsTheClockBe>(Kind::exclusion,
                                                      visitors(7, 500, 10 * kMillisecond));
}

// One at a time: no two meet inside, only the fence shows it.
TEST(Mutants, RicartAgrawalaDoesNotRaiseTheClockOnRequestsAndFencesFallBack) {
  SimOptions options = crowd(7);
  options.load.kind = Load::Kind::low;
  expect_caught<RicartAgrawala, bugs::LetsTheClockBe>(Kind::fence, options);
}

// --- Lamport ---

TEST(Mutants, LamportWithoutFifoLetsTwoIn) {
  expect_needs_fifo<Lamport>(Kind::exclusion, crowd(3));
}

TEST(Mutants, LamportForgetsToTellOneThatItLeft) {
  expect_caught<Lamport, bugs::ForgetsOneRelease>(Kind::progress, crowd(4));
}

// --- Carvalho-Roucairol ---

TEST(Mutants, CarvalhoRoucairolTakesTheRequestsStampAsFence) {
  expect_caught<CarvalhoRoucairol, bugs::TurnIsTheRequestsStamp>(
      Kind::fence, visitors(4, 100, 2 * kMillisecond));
}

// --- tokens ---

TEST(Mutants, TokenRingSendsTheTokenTwice) {
  expect_caught<TokenRing, bugs::SendsTheRingTokenTwice>(Kind::exclusion, crowd(5));
}

TEST(Mutants, SuzukiKasamiSendsTheTokenToTwo) {
  expect_caught<SuzukiKasami, bugs::SendsTheTokenToTwo>(Kind::exclusion, crowd(5));
}

TEST(Mutants, NaimiTrehelDoesNotCountTheTurn) {
  expect_caught<NaimiTrehel, bugs::DoesNotCountTheTurn>(Kind::fence, crowd(5));
}

// --- central ---

TEST(Mutants, CentralGrantsWhileBusy) {
  SimOptions options = crowd(5);
  options.draw = Draw::not_home;
  expect_caught<Central, bugs::GrantsWhileBusy>(Kind::exclusion, options);
}

// --- bakery ---

TEST(Mutants, BakeryReadsNumbersWithoutWaitingForChoosing) {
  expect_caught<Bakery, bugs::DoesNotWaitForChoosing>(Kind::exclusion,
                                                      visitors(7, 500, 2 * kMillisecond));
}

// --- Maekawa ---

// Of six, 0, 2 and 4 ask; the others only vote. So every vote and every refusal is a message.
SimOptions three_of_six() {
  SimOptions options = visitors(6, 200, kMillisecond);
  options.requesters = 3;
  return options;
}

VotingSets shared_by_all_six() { return listed(std::vector(6, std::vector<std::uint32_t>{1, 3})); }

TEST(Mutants, MaekawaWithoutSandersWhenThreeShareOneVotingSetOfTwo) {
  const VotingSets shared = shared_by_all_six();
  expect_caught<Maekawa, bugs::WithoutSanders>(Kind::progress, three_of_six(), {&shared});
}

// A voter of V1={1,2}, V2={2,3}, V3={3,1} has two requesters, and the correction is about a third.
TEST(Mutants, MaekawaWithoutSandersIsNotCaughtWhenEveryVoterHasTwoRequesters) {
  const VotingSets lecture = VotingSets::lecture(3).value();
  const VotingSets apart = listed({{1, 3}, {1, 3, 5}, {3, 5}, {1, 3, 5}, {5, 1}, {1, 3, 5}});
  const SimOptions three = visitors(3, 200, kMillisecond);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const SimReport& report :
         {run<Mutant<Maekawa, bugs::WithoutSanders>>(three, seed, {&lecture}),
          run<Mutant<Maekawa, bugs::WithoutSanders>>(three_of_six(), seed, {&apart})}) {
      EXPECT_EQ(report.violation_count, 0u) << "seed " << seed << ": " << kind_of_violation(report);
      EXPECT_EQ(report.entries, 500u);
    }
  }
}

TEST(Mutants, MaekawaYieldsWhileInside) {
  const VotingSets plane = VotingSets::plane(7).value();
  // Inside long enough for the vote to get somewhere else.
  expect_caught<Maekawa, bugs::YieldsWhileInside>(Kind::exclusion,
                                                  visitors(7, 100, 10 * kMillisecond), {&plane});
}

// Our voter looks whose vote it is and refuses; one that did not would give away a vote in use.
TEST(Mutants, MaekawaYieldsAfterReleaseAndTheVoterRefuses) {
  const VotingSets shared = shared_by_all_six();
  expect_caught<Maekawa, bugs::YieldsAfterRelease>(Kind::protocol, three_of_six(), {&shared});
}

TEST(Mutants, MaekawaVotesWithoutTheTurn) {
  const VotingSets plane = VotingSets::plane(7).value();
  expect_caught<Maekawa, bugs::VotesWithoutTheTurn>(Kind::fence, crowd(7), {&plane});
}

// Nothing tags an INQUIRE with the vote that it is about, so one that overtakes the vote is lost.
TEST(Mutants, MaekawaWithoutFifoWaitsForEver) {
  const VotingSets plane = VotingSets::plane(7).value();
  SimOptions options = visitors(7, 100, kMillisecond);
  options.latency = Latency::parse("exp:5ms").value();
  expect_needs_fifo<Maekawa>(Kind::progress, options, {&plane});
}

}  // namespace
}  // namespace hapax
