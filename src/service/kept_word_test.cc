#include "service/kept_word.h"

#include <gtest/gtest.h>
#include <optional>

namespace hapax {
namespace {

constexpr Fence kFence{Epoch{3}, Turn{7}};

class Kept : public ::testing::Test {
 protected:
  Kept() { lease_.renew(Instant{std::chrono::seconds{1}}); }

  KeptWord::Entry grant(std::uint64_t waiter, bool keep) {
    return word_.grant({WaiterId{waiter}, kFence, keep}, keep, lease_.grant());
  }
  std::optional<KeptWord::Entry> enter_again() {
    return word_.enter_again(
        lease_, [this] { return now_; }, [this](std::uint64_t number) { due_ = number; });
  }

  Instant now_{};
  LeaseTerm lease_{true};
  KeptWord word_;
  std::optional<std::uint64_t> due_;
};

TEST_F(Kept, EachEntryHasTheNextTurn) {
  const auto first = grant(1, true);
  EXPECT_EQ(first.fence, kFence);
  EXPECT_FALSE(enter_again()) << "somebody is inside";
  EXPECT_FALSE(word_.leave(first.number));
  const auto second = enter_again();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->fence, (Fence{Epoch{3}, Turn{8}}));
  EXPECT_FALSE(word_.leave(second->number));
  const auto given = word_.stop_keeping();
  ASSERT_TRUE(given);
  EXPECT_EQ(given->holder, WaiterId{1});
  EXPECT_EQ(given->last, Turn{8});
  EXPECT_FALSE(enter_again());
}

TEST_F(Kept, WhatIsWantedIsGivenBackByItsUnlock) {
  const auto entry = grant(1, true);
  EXPECT_FALSE(word_.stop_keeping());
  EXPECT_TRUE(word_.leave(entry.number));
  EXPECT_FALSE(enter_again());
  ASSERT_TRUE(word_.give_back(entry.number));
  EXPECT_FALSE(word_.give_back(entry.number)) << "once";
}

TEST_F(Kept, WhatIsNotToBeKeptIsGivenBackByItsUnlock) {
  EXPECT_TRUE(word_.leave(grant(1, false).number));
}

TEST_F(Kept, NobodyEntersWhenTheLeaseIsOver) {
  EXPECT_FALSE(word_.leave(grant(1, true).number));
  now_ = std::chrono::seconds{1};
  EXPECT_FALSE(enter_again());
  EXPECT_FALSE(due_);
  now_ = {};
  EXPECT_TRUE(enter_again()) << "it is still kept";
}

// The lease is looked at after the word was taken: it may be wanted by then.
TEST_F(Kept, WhoIsTooLateGivesBackWhatBecameWantedMeanwhile) {
  EXPECT_FALSE(word_.leave(grant(1, true).number));
  const auto entry = word_.enter_again(
      lease_,
      [this] {
        EXPECT_FALSE(word_.stop_keeping());
        return lease_.until();
      },
      [this](std::uint64_t number) { due_ = number; });
  EXPECT_FALSE(entry);
  ASSERT_TRUE(due_);
  EXPECT_TRUE(word_.give_back(*due_));
}

TEST_F(Kept, NobodyEntersWhatWasGrantedInATermThatIsOver) {
  EXPECT_FALSE(word_.leave(grant(1, true).number));
  EXPECT_TRUE(lease_.end());
  lease_.renew(Instant{std::chrono::seconds{9}});
  EXPECT_FALSE(enter_again());
}

TEST_F(Kept, AReportFindsWhatIsInUseAndTakesWhatIsOnlyKept) {
  const auto entry = grant(1, true);
  EXPECT_TRUE(word_.is_inside());
  EXPECT_TRUE(word_.leave(entry.number)) << "its unlock gives it back";
  EXPECT_TRUE(word_.give_back(entry.number));
  EXPECT_FALSE(word_.leave(grant(2, true).number));
  EXPECT_FALSE(word_.is_inside());
  EXPECT_EQ(word_.holder(), std::nullopt);
  EXPECT_FALSE(enter_again());
}

TEST_F(Kept, WhatIsLostIsGivenBackByNobodyAndToldWithItsLastTurn) {
  EXPECT_FALSE(word_.leave(grant(1, true).number));
  const auto again = enter_again();
  ASSERT_TRUE(again);
  EXPECT_EQ(word_.take_back(), again->fence.turn);
  EXPECT_FALSE(word_.leave(again->number));
  EXPECT_FALSE(word_.give_back(again->number));
  const auto next = grant(2, true);
  EXPECT_FALSE(word_.leave(again->number)) << "somebody else is inside by now";
  EXPECT_FALSE(word_.give_back(again->number));
  EXPECT_EQ(word_.holder(), WaiterId{2});
  EXPECT_NE(next.number, again->number);
}

// A client may write there what it likes.
TEST(KeptGrant, TellsNoMoreThanThereWasTimeForAndTakesNothingBackOfIt) {
  kept::Word word{0};
  KeptGrant grant{word};
  grant.grant({WaiterId{1}, kFence, true}, true);
  grant.believe_at_most(10);
  word.store(kept::word_of(kept::State::used, 1'000));
  const Fence told{Epoch{3}, Turn{17}};
  EXPECT_EQ(grant.fence(), told);
  word.store(kept::word_of(kept::State::used, 1));
  EXPECT_EQ(grant.fence(), told);
  EXPECT_EQ(grant.take_back(), Turn{17}) << "somebody may have relied on it";
  EXPECT_EQ(grant.next(), 12u);
  grant.grant({WaiterId{2}, kFence, true}, true);
  EXPECT_EQ(grant.fence(), kFence) << "another grant";
}

}  // namespace
}  // namespace hapax
