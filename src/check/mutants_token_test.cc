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

// --- token ring ---

TEST(MutantsOfTokenRing, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<TokenRing>({.n = 2, .entries = 2});
}

TEST(MutantsOfTokenRing, SendTheTokenTwice) {
  expect_caught<TokenRing, bugs::SendsTheRingTokenTwice>({"exclusion", 5}, {.held = true});
}

TEST(MutantsOfTokenRing, RegenerateTheSameToken) {
  expect_caught<TokenRing, bugs::RegeneratesTheSameToken>({"exclusion", 3}, {});
}

// A generation ends the second token, but not at once: only the fence tells the two inside apart.
TEST(MutantsOfTokenRing, RegenerateATokenThatWasNotLost) {
  expect_caught<TokenRing, bugs::RegeneratesTheToken>({"exclusion", 3}, {});
}

// --- Suzuki–Kasami ---

TEST(MutantsOfSuzukiKasami, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<SuzukiKasami>({.n = 2, .entries = 2});
}

TEST(MutantsOfSuzukiKasami, SendTheTokenToTwo) {
  expect_caught<SuzukiKasami, bugs::SendsTheTokenToTwo>({"exclusion", 7}, {.held = true});
}

TEST(MutantsOfSuzukiKasami, ForgetThatTheyWereServed) {
  expect_caught<SuzukiKasami, bugs::ForgetsThatItWasServed>({"protocol", 9}, {.n = 2});
}

TEST(MutantsOfSuzukiKasami, ServeOldRequests) {
  expect_caught<SuzukiKasami, bugs::ServesOldRequests>({"protocol", 15}, {});
}

// --- Raymond ---

TEST(MutantsOfRaymond, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<Raymond>({.n = 2, .entries = 2});
}

TEST(MutantsOfRaymond, ForgetToAskAgain) {
  expect_caught<Raymond, bugs::ForgetsToAskAgain>({"progress", 8}, {});
}

TEST(MutantsOfRaymond, KeepTheTokenTheySent) {
  expect_caught<Raymond, bugs::KeepsTheTokenItSent>({"exclusion", 4}, {.n = 2});
}

TEST(MutantsOfRaymond, WithoutFifo) { expect_needs_fifo("raymond", {"protocol", 4}, {}); }

// --- Naimi–Tréhel ---

TEST(MutantsOfNaimiTrehel, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<NaimiTrehel>({.n = 2, .entries = 2});
}

TEST(MutantsOfNaimiTrehel, DoNotCountTheTurn) {
  expect_caught<NaimiTrehel, bugs::DoesNotCountTheTurn>({"fence", 5}, {.n = 2});
}

TEST(MutantsOfNaimiTrehel, OverwriteWhoIsNext) {
  expect_caught<NaimiTrehel, bugs::OverwritesNext>({"progress", 8}, {});
}

// A request goes round for ever between two who take each other for the father.
TEST(MutantsOfNaimiTrehel, KeepTheirFathers) {
  expect_caught<NaimiTrehel, bugs::KeepsItsFather>({"starvation", 7}, {.n = 2});
}

}  // namespace
}  // namespace hapax
