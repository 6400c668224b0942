// Planted bugs of the algorithms that pass a token: token ring, Suzuki–Kasami, Raymond,
// Naimi–Tréhel.
#include <gtest/gtest.h>

#include "check/testing/caught.h"
#include "mutex/testing/bugs_naimi_trehel.h"
#include "mutex/testing/bugs_raymond.h"
#include "mutex/testing/bugs_suzuki_kasami.h"
#include "mutex/testing/bugs_token_ring.h"

namespace hapax {
namespace {

using testing::expect_caught;
using testing::expect_needs_fifo;
using testing::expect_real_without_a_bug;
using testing::MutantsOf;

// --- token ring ---

using TokenRings = MutantsOf<TokenRing, bugs::SendsTheRingTokenTwice, bugs::RegeneratesTheSameToken,
                             bugs::RegeneratesTheToken>;

TEST(MutantsOfTokenRing, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<TokenRings>({.n = 2, .entries = 2});
}

TEST(MutantsOfTokenRing, SendTheTokenTwice) {
  expect_caught<TokenRings, bugs::SendsTheRingTokenTwice>({"exclusion", 5}, {.held = true});
}

TEST(MutantsOfTokenRing, RegenerateTheSameToken) {
  expect_caught<TokenRings, bugs::RegeneratesTheSameToken>({"exclusion", 3}, {});
}

// A generation ends the second token, but not at once: only the fence tells the two inside apart.
TEST(MutantsOfTokenRing, RegenerateATokenThatWasNotLost) {
  expect_caught<TokenRings, bugs::RegeneratesTheToken>({"exclusion", 3}, {});
}

// --- Suzuki–Kasami ---

using SuzukiKasamis = MutantsOf<SuzukiKasami, bugs::SendsTheTokenToTwo,
                                bugs::ForgetsThatItWasServed, bugs::ServesOldRequests>;

TEST(MutantsOfSuzukiKasami, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<SuzukiKasamis>({.n = 2, .entries = 2});
}

TEST(MutantsOfSuzukiKasami, SendTheTokenToTwo) {
  expect_caught<SuzukiKasamis, bugs::SendsTheTokenToTwo>({"exclusion", 7}, {.held = true});
}

TEST(MutantsOfSuzukiKasami, ForgetThatTheyWereServed) {
  expect_caught<SuzukiKasamis, bugs::ForgetsThatItWasServed>({"protocol", 9}, {.n = 2});
}

TEST(MutantsOfSuzukiKasami, ServeOldRequests) {
  expect_caught<SuzukiKasamis, bugs::ServesOldRequests>({"protocol", 15}, {});
}

// --- Raymond ---

using Raymonds = MutantsOf<Raymond, bugs::ForgetsToAskAgain, bugs::KeepsTheTokenItSent>;

TEST(MutantsOfRaymond, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<Raymonds>({.n = 2, .entries = 2});
}

TEST(MutantsOfRaymond, ForgetToAskAgain) {
  expect_caught<Raymonds, bugs::ForgetsToAskAgain>({"progress", 8}, {});
}

TEST(MutantsOfRaymond, KeepTheTokenTheySent) {
  expect_caught<Raymonds, bugs::KeepsTheTokenItSent>({"exclusion", 4}, {.n = 2});
}

TEST(MutantsOfRaymond, WithoutFifo) { expect_needs_fifo("raymond", {"protocol", 4}, {}); }

// --- Naimi–Tréhel ---

using NaimiTrehels =
    MutantsOf<NaimiTrehel, bugs::DoesNotCountTheTurn, bugs::OverwritesNext, bugs::KeepsItsFather>;

TEST(MutantsOfNaimiTrehel, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<NaimiTrehels>({.n = 2, .entries = 2});
}

TEST(MutantsOfNaimiTrehel, DoNotCountTheTurn) {
  expect_caught<NaimiTrehels, bugs::DoesNotCountTheTurn>({"fence", 5}, {.n = 2});
}

TEST(MutantsOfNaimiTrehel, OverwriteWhoIsNext) {
  expect_caught<NaimiTrehels, bugs::OverwritesNext>({"progress", 8}, {});
}

// A request goes round for ever between two who take each other for the father.
TEST(MutantsOfNaimiTrehel, KeepTheirFathers) {
  expect_caught<NaimiTrehels, bugs::KeepsItsFather>({"starvation", 7}, {.n = 2});
}

}  // namespace
}  // namespace hapax
