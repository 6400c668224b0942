// Planted bugs of Maekawa's algorithms.
#include <gtest/gtest.h>

#include "check/testing/caught.h"
#include "mutex/testing/bugs_maekawa.h"
#include "mutex/testing/bugs_maekawa_basic.h"
#include "voting/voting_sets.h"

namespace hapax {
namespace {

using testing::check_mutant;
using testing::expect_caught;
using testing::expect_needs_fifo;
using testing::expect_not_caught;
using testing::expect_real_without_a_bug;
using testing::expect_violated;

VotingSets one_pair_for_all_three() {
  return VotingSets::parse("1: 2 3\n2: 2 3\n3: 2 3\n").value();
}
VotingSets one_voter_for_all_three() { return VotingSets::parse("1: 3\n2: 3\n3: 3\n").value(); }
VotingSets one_pair_for_all_four() {
  return VotingSets::parse("1: 3 4\n2: 3 4\n3: 3 4\n4: 3 4\n").value();
}

// --- as in the lecture ---

TEST(MutantsOfMaekawaBasic, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<MaekawaBasic>({.n = 2, .entries = 2});
}

TEST(MutantsOfMaekawaBasic, VoteTwice) {
  const VotingSets sets = one_voter_for_all_three();
  expect_caught<MaekawaBasic, bugs::VotesTwice>({"exclusion", 4}, {}, {&sets});
}

// --- free of deadlock ---

TEST(MutantsOfMaekawa, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<Maekawa>({.n = 2, .entries = 2});
}

TEST(MutantsOfMaekawa, WithoutSandersWhenThreeShareOneVotingSetOfTwo) {
  const VotingSets sets = one_pair_for_all_three();
  expect_caught<Maekawa, bugs::WithoutSanders>({"progress", 9}, {}, {&sets});
}

// A voter of V1={1,2}, V2={2,3}, V3={3,1} has two requesters, and the correction is about a third.
TEST(MutantsOfMaekawa, WithoutSandersIsNotCaughtWhenEveryVoterHasTwoRequesters) {
  const VotingSets sets = VotingSets::lecture(3).value();
  expect_not_caught<Maekawa, bugs::WithoutSanders>({}, {&sets});
  expect_not_caught<Maekawa, bugs::WithoutSanders>({.entries = 2}, {&sets});
}

TEST(MutantsOfMaekawa, YieldWhileInside) {
  const VotingSets sets = one_voter_for_all_three();
  expect_caught<Maekawa, bugs::YieldsWhileInside>({"exclusion", 8}, {}, {&sets});
}

// Our voter looks whose vote it is and refuses …
TEST(MutantsOfMaekawa, YieldAfterReleaseAndTheVoterRefuses) {
  const VotingSets sets = one_voter_for_all_three();
  expect_caught<Maekawa, bugs::YieldsAfterRelease>({"protocol", 9}, {}, {&sets});
}

// … one that does not gives away a vote in use.
TEST(MutantsOfMaekawa, YieldAfterReleaseAndTheVoterVotesAgain) {
  const VotingSets sets = one_voter_for_all_three();
  expect_caught<Maekawa, bugs::TakesAnyYield>({"exclusion", 11}, {}, {&sets});
}

TEST(MutantsOfMaekawa, YieldForAnOlderRequest) {
  const VotingSets sets = one_voter_for_all_three();
  expect_caught<Maekawa, bugs::YieldsForAnOlderRequest>({"protocol", 11}, {.entries = 2}, {&sets});
}

TEST(MutantsOfMaekawa, InquireAgain) {
  const VotingSets sets = one_pair_for_all_four();
  expect_caught<Maekawa, bugs::InquiresAgain>({"protocol", 12}, {.n = 4}, {&sets});
  // Asking once, nobody has an older request: it takes the second inquiry.
  expect_not_caught<Maekawa, bugs::YieldsForAnOlderRequest>({.n = 4}, {&sets});
}

TEST(MutantsOfMaekawa, DoNotCountAYieldAsFailed) {
  const VotingSets sets = one_pair_for_all_three();
  expect_caught<Maekawa, bugs::YieldIsNoFailure>({"progress", 14}, {}, {&sets});
}

TEST(MutantsOfMaekawa, VoteWithoutTheTurn) {
  const VotingSets sets = VotingSets::lecture(3).value();
  expect_caught<Maekawa, bugs::VotesWithoutTheTurn>({"fence", 7}, {}, {&sets});
}

TEST(MutantsOfMaekawa, WithoutFifoGetAVoteBeforeItsRefusal) {
  const VotingSets sets = VotingSets::lecture(3).value();
  expect_needs_fifo("maekawa", {"protocol", 8}, {}, {&sets});
}

// Nothing tags an INQUIRE with the vote that it is about, so one that overtakes the vote is lost.
TEST(MutantsOfMaekawa, WithoutFifoWaitForEverThoughTheyIgnoreALateRefusal) {
  const VotingSets sets = one_pair_for_all_three();
  expect_not_caught<Maekawa, bugs::IgnoresALateRefusal>({}, {&sets});
  expect_violated(
      check_mutant<Maekawa, bugs::IgnoresALateRefusal>({.channels = Channels::unordered}, {&sets}),
      {"progress", 8});
}

}  // namespace
}  // namespace hapax
