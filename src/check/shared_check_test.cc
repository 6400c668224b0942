// Algorithms that let several in at once, in every order, and their planted bugs.
#include <gtest/gtest.h>
#include <vector>

#include "check/testing/caught.h"
#include "mutex/testing/bugs_readers_writers.h"
#include "mutex/testing/bugs_semaphore_ra.h"

namespace hapax {
namespace {

using testing::expect_caught;
using testing::expect_holds;
using testing::expect_real_without_a_bug;

constexpr Holding kNothing{Mode::shared, 0};
constexpr Holding kReads{Mode::shared, 1};
constexpr Holding kWrites{Mode::exclusive, 1};

MutexChoices units(std::uint32_t k, std::uint32_t per_member = 0) {
  return {.units = k, .per_member = per_member};
}

// --- readers and writers ---

TEST(CheckReadersWriters, HoldsWithThree) {
  expect_holds("readers-writers", {});
  expect_holds("readers-writers", {.n = 2, .entries = 3});
  const CheckReport report = check("readers-writers", {}).value();
  EXPECT_NE(report.proved.find("nobody is inside with a writer"), std::string::npos);
}

TEST(CheckReadersWriters, NeedsNeitherOrderNorSingleCopies) {
  expect_holds("readers-writers", {.channels = Channels::unordered});
  expect_holds("readers-writers",
               {.n = 2, .entries = 2, .channels = Channels::unordered, .duplicates = 2});
}

TEST(CheckReadersWriters, NobodyIsPassedOverForEver) {
  expect_holds("readers-writers", {.n = 2, .forever = true});
}

TEST(CheckReadersWriters, StartsFromEverySetOfHolders) {
  for (const auto& holdings : std::vector<std::vector<Holding>>{{kReads, kNothing, kNothing},
                                                                {kReads, kReads, kNothing},
                                                                {kReads, kReads, kReads},
                                                                {kNothing, kWrites, kNothing}}) {
    expect_holds("readers-writers", {.holdings = holdings});
  }
  EXPECT_FALSE(check("readers-writers", {.holdings = {kReads, kWrites, kNothing}}).has_value());
  EXPECT_FALSE(check("ricart-agrawala", {.holdings = {kReads, kNothing, kNothing}}).has_value());
}

TEST(MutantsOfReadersWriters, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<ReadersWriters>({.n = 2, .entries = 2});
}

TEST(MutantsOfReadersWriters, ReaderDefersNobody) {
  expect_caught<ReadersWriters, bugs::ReaderDefersNobody>({"exclusion", 6}, {.n = 2});
}

TEST(MutantsOfReadersWriters, WriterLetsLaterReadersPass) {
  expect_caught<ReadersWriters, bugs::WriterLetsLaterReadersPass>({"exclusion", 6}, {.n = 2});
}

TEST(MutantsOfReadersWriters, ReaderLeavesSilently) {
  expect_caught<ReadersWriters, bugs::ReaderLeavesSilently>({"progress", 6}, {.n = 2});
}

// --- semaphore ---

TEST(CheckSemaphoreRa, HoldsWithThree) {
  expect_holds("semaphore-ra", {}, units(2));
  expect_holds("semaphore-ra", {.n = 2, .entries = 3}, units(2, 1));
  const CheckReport report = check("semaphore-ra", {}, units(2)).value();
  EXPECT_NE(report.proved.find("at most 2 are inside"), std::string::npos);
}

TEST(CheckSemaphoreRa, MembersMayUseSeveralUnits) {
  expect_holds("semaphore-ra", {.n = 2, .entries = 3}, units(2));
  expect_holds("semaphore-ra", {.n = 2, .entries = 4}, units(3));
  expect_holds("semaphore-ra", {.n = 2, .entries = 4}, units(3, 2));
}

TEST(CheckSemaphoreRa, NeedsNeitherOrderNorSingleCopies) {
  expect_holds("semaphore-ra", {.channels = Channels::unordered}, units(2));
  expect_holds("semaphore-ra",
               {.n = 2, .entries = 2, .channels = Channels::unordered, .duplicates = 1}, units(2));
}

TEST(CheckSemaphoreRa, NobodyIsPassedOverForEver) {
  expect_holds("semaphore-ra", {.n = 2, .forever = true}, units(1));
  EXPECT_FALSE(check("semaphore-ra", {.n = 2, .forever = true}, units(2)).has_value());
}

TEST(CheckSemaphoreRa, WithOneUnitHasAsManyStatesAsRicartAgrawala) {
  for (const CheckOptions& options : {CheckOptions{}, CheckOptions{.n = 2, .entries = 3},
                                      CheckOptions{.channels = Channels::unordered}}) {
    const CheckReport ours = check("semaphore-ra", options, units(1)).value();
    const CheckReport theirs = check("ricart-agrawala", options).value();
    EXPECT_EQ(ours.states, theirs.states);
    EXPECT_EQ(ours.transitions, theirs.transitions);
  }
}

TEST(CheckSemaphoreRa, StartsFromEverySetOfHolders) {
  for (const auto& holdings : std::vector<std::vector<Holding>>{
           {kReads, kReads, kNothing}, {kNothing, {Mode::shared, 2}, kNothing}}) {
    expect_holds("semaphore-ra", {.holdings = holdings}, units(2));
  }
  EXPECT_FALSE(check("semaphore-ra", {.holdings = {kReads, kReads, kReads}}, units(2)).has_value());
  EXPECT_FALSE(
      check("semaphore-ra", {.holdings = {kNothing, {Mode::shared, 2}, kNothing}}, units(2, 1))
          .has_value());
}

TEST(MutantsOfSemaphoreRa, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<SemaphoreRa>({.n = 2, .entries = 2});
}

TEST(MutantsOfSemaphoreRa, EnterOneReplyEarly) {
  expect_caught<SemaphoreRa, bugs::EntersOneReplyEarly>({"exclusion", 3}, {}, units(2, 1));
}

TEST(MutantsOfSemaphoreRa, ForgetToTellOfAUnit) {
  expect_caught<SemaphoreRa, bugs::ForgetsToTellOfAUnit>({"progress", 17}, {}, units(2));
}

TEST(MutantsOfSemaphoreRa, DoNotCountTheirOwnRequest) {
  expect_caught<SemaphoreRa, bugs::DoesNotCountItsOwnRequest>({"exclusion", 15}, {}, units(2));
}

TEST(MutantsOfSemaphoreRa, SpeakOfRequestsUnseen) {
  expect_caught<SemaphoreRa, bugs::SpeaksOfRequestsUnseen>({"exclusion", 13},
                                                           {.n = 2, .entries = 3}, units(2));
}

}  // namespace
}  // namespace hapax
