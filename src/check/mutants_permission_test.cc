// Planted bugs of the algorithms that ask for permission: central, Lamport, Ricart–Agrawala,
// Carvalho–Roucairol, bakery.
#include <gtest/gtest.h>

#include "check/testing/caught.h"
#include "mutex/testing/bugs_bakery.h"
#include "mutex/testing/bugs_carvalho_roucairol.h"
#include "mutex/testing/bugs_central.h"
#include "mutex/testing/bugs_lamport.h"
#include "mutex/testing/bugs_ricart_agrawala.h"

namespace hapax {
namespace {

using testing::check_mutant;
using testing::expect_caught;
using testing::expect_needs_fifo;
using testing::expect_not_caught;
using testing::expect_real_without_a_bug;
using testing::expect_violated;

// --- central ---

TEST(MutantsOfCentral, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<Central>({.n = 2, .entries = 2});
}

TEST(MutantsOfCentral, GrantWhileBusy) {
  expect_caught<Central, bugs::GrantsWhileBusy>({"exclusion", 6}, {});
}

TEST(MutantsOfCentral, ForgetToStrikeOffWhoLeft) {
  expect_caught<Central, bugs::ForgetsToStrikeOff>({"progress", 6}, {.n = 2});
}

TEST(MutantsOfCentral, ServeTheSameTwice) {
  expect_caught<Central, bugs::ServesTheSameTwice>({"protocol", 6}, {.n = 2});
}

TEST(MutantsOfCentral, WithoutFifo) {
  expect_needs_fifo("central", {"protocol", 6}, {.n = 2, .entries = 2});
}

// --- Lamport ---

TEST(MutantsOfLamport, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<Lamport>({.n = 2, .entries = 2});
}

TEST(MutantsOfLamport, WithoutFifo) { expect_needs_fifo("lamport", {"exclusion", 4}, {.n = 2}); }

TEST(MutantsOfLamport, ForgetToTellOneThatTheyLeft) {
  expect_caught<Lamport, bugs::ForgetsOneRelease>({"progress", 7}, {.n = 2});
}

TEST(MutantsOfLamport, EnterAtTheFirstAnswer) {
  // That Lamport holds with three is in check_test.
  expect_violated(check_mutant<Lamport, bugs::EntersAtTheFirstAnswer>({}), {"exclusion", 5});
}

// With two there is one answer to wait for.
TEST(MutantsOfLamport, EnterAtTheFirstAnswerIsNotCaughtWithTwo) {
  expect_not_caught<Lamport, bugs::EntersAtTheFirstAnswer>({.n = 2, .entries = 3});
}

TEST(MutantsOfLamport, OrderByTheClockAlone) {
  expect_caught<Lamport, bugs::TiesGoToOneself>({"exclusion", 4}, {.n = 2});
}

// --- Ricart–Agrawala ---

TEST(MutantsOfRicartAgrawala, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<RicartAgrawala>({.n = 2, .entries = 2});
}

TEST(MutantsOfRicartAgrawala, CountRepliesWhileMessagesAreDoubled) {
  expect_caught<RicartAgrawala, bugs::CountsReplies>({"exclusion", 10}, {.duplicates = 1});
}

// Without duplicates a count does as well as a set: it is the duplicates that show the bug.
TEST(MutantsOfRicartAgrawala, CountRepliesIsNotCaughtWithoutDuplicates) {
  expect_not_caught<RicartAgrawala, bugs::CountsReplies>({});
  expect_not_caught<RicartAgrawala, bugs::CountsReplies>({.n = 2, .entries = 3});
}

TEST(MutantsOfRicartAgrawala, FlipTheComparison) {
  expect_caught<RicartAgrawala, bugs::FlipsTheComparison>({"exclusion", 10}, {});
  expect_caught<RicartAgrawala, bugs::FlipsTheComparison>({"fence", 7}, {.n = 2});
}

TEST(MutantsOfRicartAgrawala, DoNotRaiseTheClockOnRequestsAndLetTwoIn) {
  expect_caught<RicartAgrawala, bugs::LetsTheClockBe>({"exclusion", 10}, {});
}

// Two on a FIFO channel never meet inside: only the fence shows it.
TEST(MutantsOfRicartAgrawala, DoNotRaiseTheClockOnRequestsAndFencesFallBack) {
  expect_caught<RicartAgrawala, bugs::LetsTheClockBe>({"fence", 7}, {.n = 2});
  expect_not_caught<RicartAgrawala, bugs::LetsTheClockBe>({.n = 2, .fences = false});
}

TEST(MutantsOfRicartAgrawala, ReplyBeforeTheClockIsRaised) {
  expect_caught<RicartAgrawala, bugs::RepliesBeforeTheClock>({"exclusion", 10}, {});
}

// --- Carvalho–Roucairol ---

TEST(MutantsOfCarvalhoRoucairol, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<CarvalhoRoucairol>({.n = 2, .entries = 2});
}

TEST(MutantsOfCarvalhoRoucairol, TakeTheRequestsStampAsFence) {
  expect_caught<CarvalhoRoucairol, bugs::TurnIsTheRequestsStamp>({"fence", 13}, {});
}

TEST(MutantsOfCarvalhoRoucairol, KeepWhatTheyGave) {
  expect_caught<CarvalhoRoucairol, bugs::KeepsWhatItGave>({"exclusion", 4}, {.n = 2});
}

TEST(MutantsOfCarvalhoRoucairol, ForgetToAskBack) {
  expect_caught<CarvalhoRoucairol, bugs::ForgetsToAskBack>({"progress", 13}, {});
}

// --- bakery ---

TEST(MutantsOfBakery, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<Bakery>({.n = 2, .entries = 2});
}

TEST(MutantsOfBakery, DoNotWaitForChoosing) {
  expect_caught<Bakery, bugs::DoesNotWaitForChoosing>({"exclusion", 14},
                                                      {.n = 2, .channels = Channels::unordered});
}

// The answer that one still chooses by comes before the other's own question.
TEST(MutantsOfBakery, DoNotWaitForChoosingIsNotCaughtWithTwoOnAFifoChannel) {
  expect_not_caught<Bakery, bugs::DoesNotWaitForChoosing>({.n = 2, .entries = 2});
}

TEST(MutantsOfBakery, LetEqualTicketsPass) {
  expect_caught<Bakery, bugs::LetsEqualTicketsPass>({"exclusion", 14}, {.n = 2});
}

}  // namespace
}  // namespace hapax
