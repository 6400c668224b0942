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
using testing::MutantsOf;

// --- central ---

using Centrals =
    MutantsOf<Central, bugs::GrantsWhileBusy, bugs::ForgetsToStrikeOff, bugs::ServesTheSameTwice>;

TEST(MutantsOfCentral, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<Centrals>({.n = 2, .entries = 2});
}

TEST(MutantsOfCentral, GrantWhileBusy) {
  expect_caught<Centrals, bugs::GrantsWhileBusy>({"exclusion", 6}, {});
}

TEST(MutantsOfCentral, ForgetToStrikeOffWhoLeft) {
  expect_caught<Centrals, bugs::ForgetsToStrikeOff>({"progress", 6}, {.n = 2});
}

TEST(MutantsOfCentral, ServeTheSameTwice) {
  expect_caught<Centrals, bugs::ServesTheSameTwice>({"protocol", 6}, {.n = 2});
}

TEST(MutantsOfCentral, WithoutFifo) {
  expect_needs_fifo("central", {"protocol", 6}, {.n = 2, .entries = 2});
}

// --- Lamport ---

using Lamports = MutantsOf<Lamport, bugs::ForgetsOneRelease, bugs::EntersAtTheFirstAnswer,
                           bugs::TiesGoToOneself>;

TEST(MutantsOfLamport, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<Lamports>({.n = 2, .entries = 2});
}

TEST(MutantsOfLamport, WithoutFifo) { expect_needs_fifo("lamport", {"exclusion", 4}, {.n = 2}); }

TEST(MutantsOfLamport, ForgetToTellOneThatTheyLeft) {
  expect_caught<Lamports, bugs::ForgetsOneRelease>({"progress", 7}, {.n = 2});
}

TEST(MutantsOfLamport, EnterAtTheFirstAnswer) {
  // That Lamport holds with three is in check_test.
  expect_violated(check_mutant<Lamports, bugs::EntersAtTheFirstAnswer>({}), {"exclusion", 5});
}

// With two there is one answer to wait for.
TEST(MutantsOfLamport, EnterAtTheFirstAnswerIsNotCaughtWithTwo) {
  expect_not_caught<Lamports, bugs::EntersAtTheFirstAnswer>({.n = 2, .entries = 3});
}

TEST(MutantsOfLamport, OrderByTheClockAlone) {
  expect_caught<Lamports, bugs::TiesGoToOneself>({"exclusion", 4}, {.n = 2});
}

// --- Ricart–Agrawala ---

using RicartAgrawalas = MutantsOf<RicartAgrawala, bugs::CountsReplies, bugs::FlipsTheComparison,
                                  bugs::LetsTheClockBe, bugs::RepliesBeforeTheClock>;

TEST(MutantsOfRicartAgrawala, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<RicartAgrawalas>({.n = 2, .entries = 2});
}

TEST(MutantsOfRicartAgrawala, CountRepliesWhileMessagesAreDoubled) {
  expect_caught<RicartAgrawalas, bugs::CountsReplies>({"exclusion", 10}, {.duplicates = 1});
}

// Without duplicates a count does as well as a set: it is the duplicates that show the bug.
TEST(MutantsOfRicartAgrawala, CountRepliesIsNotCaughtWithoutDuplicates) {
  expect_not_caught<RicartAgrawalas, bugs::CountsReplies>({});
  expect_not_caught<RicartAgrawalas, bugs::CountsReplies>({.n = 2, .entries = 3});
}

TEST(MutantsOfRicartAgrawala, FlipTheComparison) {
  expect_caught<RicartAgrawalas, bugs::FlipsTheComparison>({"exclusion", 10}, {});
  expect_caught<RicartAgrawalas, bugs::FlipsTheComparison>({"fence", 7}, {.n = 2});
}

TEST(MutantsOfRicartAgrawala, DoNotRaiseTheClockOnRequestsAndLetTwoIn) {
  expect_caught<RicartAgrawalas, bugs::LetsTheClockBe>({"exclusion", 10}, {});
}

// Two on a FIFO channel never meet inside: the fence alone tells.
TEST(MutantsOfRicartAgrawala, DoNotRaiseTheClockOnRequestsAndFencesFallBack) {
  expect_caught<RicartAgrawalas, bugs::LetsTheClockBe>({"fence", 7}, {.n = 2});
  expect_not_caught<RicartAgrawalas, bugs::LetsTheClockBe>({.n = 2, .fences = false});
}

TEST(MutantsOfRicartAgrawala, ReplyBeforeTheClockIsRaised) {
  expect_caught<RicartAgrawalas, bugs::RepliesBeforeTheClock>({"exclusion", 10}, {});
}

// --- Carvalho–Roucairol ---

using CarvalhoRoucairols = MutantsOf<CarvalhoRoucairol, bugs::TurnIsTheRequestsStamp,
                                     bugs::KeepsWhatItGave, bugs::ForgetsToAskBack>;

TEST(MutantsOfCarvalhoRoucairol, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<CarvalhoRoucairols>({.n = 2, .entries = 2});
}

TEST(MutantsOfCarvalhoRoucairol, TakeTheRequestsStampAsFence) {
  expect_caught<CarvalhoRoucairols, bugs::TurnIsTheRequestsStamp>({"fence", 13}, {});
}

TEST(MutantsOfCarvalhoRoucairol, KeepWhatTheyGave) {
  expect_caught<CarvalhoRoucairols, bugs::KeepsWhatItGave>({"exclusion", 4}, {.n = 2});
}

TEST(MutantsOfCarvalhoRoucairol, ForgetToAskBack) {
  expect_caught<CarvalhoRoucairols, bugs::ForgetsToAskBack>({"progress", 13}, {});
}

// --- bakery ---

using Bakeries = MutantsOf<Bakery, bugs::DoesNotWaitForChoosing, bugs::LetsEqualTicketsPass>;

TEST(MutantsOfBakery, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<Bakeries>({.n = 2, .entries = 2});
}

TEST(MutantsOfBakery, DoNotWaitForChoosing) {
  expect_caught<Bakeries, bugs::DoesNotWaitForChoosing>({"exclusion", 14},
                                                        {.n = 2, .channels = Channels::unordered});
}

// The answer that one still chooses by comes before the other's own question.
TEST(MutantsOfBakery, DoNotWaitForChoosingIsNotCaughtWithTwoOnAFifoChannel) {
  expect_not_caught<Bakeries, bugs::DoesNotWaitForChoosing>({.n = 2, .entries = 2});
}

TEST(MutantsOfBakery, LetEqualTicketsPass) {
  expect_caught<Bakeries, bugs::LetsEqualTicketsPass>({"exclusion", 14}, {.n = 2});
}

}  // namespace
}  // namespace hapax
