#include "audit/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/testing/notebook.h"

namespace hapax::audit {
namespace {

using testing::Notebook;

TEST(Overlap, OfTwoWhoHoldAtOneTime) {
  Notebook book;
  book.acquire("w1", {0, 10}, 1);
  book.release("w1", {50, 60});
  book.acquire("w2", {0, 40}, 2);
  book.release("w2", {70, 80});
  EXPECT_EQ(book.findings(), "overlap 1");
  const Report report = book.judge();
  EXPECT_THAT(report.findings.front().text,
              ::testing::HasSubstr("w1 (fence 1.1) and w2 (fence 1.2) both held it"));
}

TEST(Overlap, IsNoneIfTheReleaseWasUnderWay) {
  Notebook book;
  book.acquire("w1", {0, 10}, 1);
  book.release("w1", {50, 60});
  book.acquire("w2", {0, 50}, 2);  // Before release returned, not before it was called.
  book.release("w2", {70, 80});
  EXPECT_EQ(book.findings(), "");
}

TEST(Overlap, IsNoneOnceTheFirstKnowsThatItLost) {
  Notebook book;
  book.acquire("w1", {0, 10}, 1);
  book.lost("w1", 30);
  book.acquire("w2", {0, 40}, 2);
  book.release("w2", {70, 80});
  book.release("w1", {90, 95});
  EXPECT_EQ(book.findings(), "");
}

TEST(Overlap, IsNoneOnceTheValidityHasPassed) {
  Notebook book;
  book.acquire("w1", {0, 10}, 1).valid_until = 40;
  book.release("w1", {90, 95});
  book.acquire("w2", {0, 40}, 2);
  book.release("w2", {70, 80});
  EXPECT_EQ(book.findings(), "");
}

TEST(Overlap, IsOneIfTheValidityWasRenewed) {
  Notebook book;
  book.acquire("w1", {0, 10}, 1).valid_until = 20;
  book.read("w1", {30, 31}, 1, 0).valid_until = 60;
  book.release("w1", {90, 95});
  book.acquire("w2", {0, 40}, 2);
  book.release("w2", {70, 80});
  EXPECT_EQ(book.findings(), "overlap 1");
}

TEST(Overlap, OfADeadClientReachesToItsLastSign) {
  Notebook book;
  book.acquire("w1", {0, 10}, 1);
  book.read("w1", {20, 30}, 1, 0);
  book.acquire("w2", {0, 30}, 2);
  EXPECT_EQ(book.findings(), "");
  book.acquire("w3", {0, 25}, 3);
  book.read("w3", {26, 27}, 3, 0);
  EXPECT_EQ(book.findings(), "overlap 1");
}

TEST(Overlap, IsFoundBehindAShorterHold) {
  Notebook book;
  book.acquire("w1", {0, 10}, 1);
  book.release("w1", {100, 101});
  book.acquire("w2", {0, 20}, 2);
  book.release("w2", {30, 31});
  book.acquire("w3", {0, 40}, 3);  // w2 is gone, w1 is not.
  book.release("w3", {50, 51});
  EXPECT_EQ(book.findings(), "overlap 2");
}

TEST(Fences, MustGrowFromGrantToGrant) {
  Notebook book;
  book.acquire("w1", {0, 10}, 5);
  book.release("w1", {20, 21});
  book.acquire("w2", {0, 30}, 4);
  book.release("w2", {40, 41});
  EXPECT_EQ(book.findings(), "fence 1");
}

TEST(Fences, AreNeverTheSame) {
  Notebook book;
  book.acquire("w1", {0, 10}, 5);
  book.release("w1", {20, 21});
  book.acquire("w2", {0, 30}, 5);
  book.release("w2", {40, 41});
  EXPECT_EQ(book.findings(), "fence 1");
}

TEST(Fences, OfAGrantThatCameTooLateMayBeSmaller) {
  Notebook book;
  book.acquire("w1", {0, 50}, 4).valid_until = 30;  // It was paused before it saw the answer.
  book.acquire("w2", {0, 40}, 5);
  book.release("w2", {60, 61});
  EXPECT_EQ(book.findings(), "dead-on-arrival 1");
  book.acquire("w3", {70, 80}, 3).valid_until = 75;  // This one had not even asked.
  EXPECT_EQ(book.findings(), "fence 1, dead-on-arrival 2");
}

TEST(Fences, OfDifferentLocksHaveNothingToDoWithEachOther) {
  History history;
  for (const char* lock : {"a", "b"}) {
    Event event;
    event.client = history.client(lock);
    event.lock = history.lock(lock);
    event.ret = 10;
    event.fence = Fence{Epoch{1}, Turn{1}};
    history.add(event);
  }
  EXPECT_TRUE(judge(history).is_fine());
}

TEST(StaleAccess, IsAWriteAfterALaterHolderWasThere) {
  Notebook book;
  book.read("w1", {0, 10}, 1, 0);
  book.read("w2", {20, 30}, 2, 0);
  book.write("w1", {31, 40}, 1, 1);
  EXPECT_EQ(book.findings(), "stale-access 1");
}

TEST(StaleAccess, IsNoneIfItWasRefused) {
  Notebook book;
  book.read("w1", {0, 10}, 1, 0);
  book.read("w2", {20, 30}, 2, 0);
  book.write("w1", {31, 40}, 1, 1).ok = false;
  EXPECT_EQ(book.findings(), "");
  EXPECT_EQ(book.judge().refused_writes, 1u);
}

// Harmless: the new holder reads what the late one wrote.
TEST(StaleAccess, IsNoneIfTheLaterHolderMayHaveComeAfterwards) {
  Notebook book;
  book.read("w1", {0, 10}, 1, 0);
  book.write("w1", {30, 40}, 1, 1);
  book.read("w2", {20, 50}, 2, 1);
  EXPECT_EQ(book.findings(), "");
}

TEST(LostUpdate, IsWhatTwoWroteOnTheSameBasis) {
  Notebook book;
  book.read("w1", {0, 1}, 1, 7).fence.reset();
  book.read("w2", {0, 1}, 2, 7).fence.reset();
  book.write("w1", {2, 5}, 1, 8).fence.reset();
  book.write("w2", {3, 6}, 2, 8).fence.reset();
  EXPECT_EQ(book.findings(), "lost-update 1");
  book.read("w3", {7, 8}, 3, 8).fence.reset();
  EXPECT_EQ(book.findings(), "lost-update 1, total 1");
}

TEST(LostUpdate, IsAReadThatDoesNotSeeIt) {
  Notebook book;
  book.write("w1", {0, 1}, 1, 8);
  book.read("w2", {2, 3}, 2, 7);
  EXPECT_EQ(book.findings(), "lost-update 1, total 1");
}

TEST(LostUpdate, IsAWriteOfLess) {
  Notebook book;
  book.write("w1", {0, 1}, 1, 8);
  book.write("w1", {2, 3}, 2, 9);
  book.write("w2", {4, 5}, 3, 7);
  EXPECT_EQ(book.findings(), "lost-update 1");
}

TEST(LostUpdate, IsAWriteThatDoesNotFollowItsRead) {
  Notebook book;
  book.read("w1", {0, 1}, 1, 7);
  book.write("w1", {2, 3}, 1, 9);
  EXPECT_EQ(book.findings(), "lost-update 1");
}

TEST(Total, CountsWritesOfTheDeadAsPossible) {
  Notebook book;
  book.read("w1", {0, 1}, 1, 0);
  book.write("w1", {2, 3}, 1, 1);
  book.write("w2", {4, 5}, 2, 2).ret.reset();
  book.end("w2", 6);
  Event& last = book.read("w3", {10, 11}, 3, 1);
  EXPECT_EQ(book.findings(), "");
  last.value = 2;
  EXPECT_EQ(book.findings(), "");
  last.value = 3;
  EXPECT_EQ(book.findings(), "total 1");
}

TEST(Unserved, IsWhoWaitsForEver) {
  Notebook book;
  book.wait("w1", 5);
  EXPECT_EQ(book.findings(), "unserved 1");
  book.lost("w1", 6);
  EXPECT_EQ(book.findings(), "unserved 1");
  book.end("w1", 9);
  EXPECT_EQ(book.findings(), "");
}

TEST(Unserved, IsNotWhoWasToldThatItCannotBe) {
  Notebook book;
  book.acquire("w1", {0, 10}, 1).ok = false;
  EXPECT_EQ(book.findings(), "");
  EXPECT_EQ(book.judge().told, 1u);
}

TEST(DeadOnArrival, IsAGrantThatWasOverWhenItWasTold) {
  Notebook book;
  book.acquire("w1", {0, 10}, 1).valid_until = 11;
  book.release("w1", {20, 21});
  EXPECT_EQ(book.findings(), "");
  book.acquire("w1", {30, 40}, 2).valid_until = 40;
  book.release("w1", {41, 42});
  EXPECT_EQ(book.findings(), "dead-on-arrival 1");
}

TEST(DeadOnArrival, IsNotSaidOfWhatMayHaveEndedBeforeTheClientLooked) {
  constexpr Nanos kMillisecond = 1'000'000;
  Notebook book;
  Event& grant = book.acquire("w1", {0, 10}, 1);
  grant.valid_until = 10;
  grant.looked = 10 + kMillisecond;
  EXPECT_EQ(book.findings(), "");
  grant.looked = 9 + kMillisecond;
  EXPECT_EQ(book.findings(), "dead-on-arrival 1");
}

TEST(Report, CountsAllAndKeepsSome) {
  Notebook book;
  const std::size_t many = Report::kMostFindings + 10;
  for (std::size_t i = 0; i < many; ++i) book.wait("w" + std::to_string(i), 5);
  const Report report = book.judge();
  EXPECT_EQ(report.findings.size(), Report::kMostFindings);
  EXPECT_EQ(report.counts[static_cast<std::size_t>(Kind::unserved)], many);
}

}  // namespace
}  // namespace hapax::audit
