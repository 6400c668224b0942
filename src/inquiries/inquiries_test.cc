#include "inquiries/inquiries.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace hapax {
namespace {

// Member 0 of 2, with a crowd before one lock; its timers ring when told to.
class Crowded : public ::testing::Test {
 protected:
  LockList crowd() const {
    LockList list{LockList::kOfMember};
    session::Lock lock{"x", "central", std::nullopt, {}, {}};
    session::Person person;
    person.command = std::string(500, 'c');
    lock.waiters.assign(1'000, person);
    list.add(lock);
    return list;
  }
  void ring() {
    for (const auto& then : std::exchange(timers_, {})) then();
  }

  std::vector<std::size_t> sent_;
  std::vector<std::function<void()>> timers_;
  Inquiries inquiries_{
      Seat{0},
      {[] { return std::vector{Seat{1}}; },
       [this](Seat, const PeerMessage& message) { sent_.push_back(payload_of(message).size()); },
       [](Seat) { return true; }, [this](const std::string&) { return crowd(); },
       [] { return session::MemberReport{}; },
       [this](auto, auto then) { timers_.push_back(std::move(then)); }}};
};

TEST_F(Crowded, QuestionsWithoutEndDoNotFillALink) {
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    EXPECT_TRUE(inquiries_.on(Seat{1}, AskLocks{i, "x"}));
  }
  std::size_t bytes = 0;
  for (const std::size_t size : sent_) bytes += size;
  EXPECT_GT(sent_.size(), 10u);
  EXPECT_LT(bytes, std::size_t{5} << 20);
  // Others are answered meanwhile, and this one again later.
  sent_.clear();
  EXPECT_TRUE(inquiries_.on(Seat{2}, AskLocks{1, "x"}));
  EXPECT_EQ(sent_.size(), 1u);
  ring();
  EXPECT_TRUE(inquiries_.on(Seat{1}, AskLocks{10'001, "x"}));
  EXPECT_EQ(sent_.size(), 2u);
}

// What no member says is not put together, and the question stays open.
TEST_F(Crowded, TakesNoAnswerThatNoMemberGives) {
  int told = 0;
  ASSERT_TRUE(inquiries_.ask(nullptr, "x", [&](session::Locks&&) { ++told; }).has_value());
  const session::Lock endless{std::string(100'000, 'x'), "central", std::nullopt, {}, {}};
  EXPECT_FALSE(inquiries_.on(Seat{1}, TellLocks{1, {endless}, 0}));
  EXPECT_EQ(told, 0);
  EXPECT_TRUE(inquiries_.on(Seat{1}, TellLocks{1, {}, 0}));
  EXPECT_EQ(told, 1);
}

TEST_F(Crowded, EverybodySaysHowItIs) {
  session::Reports told;
  ASSERT_TRUE(
      inquiries_.ask_how_all_are(nullptr, [&](session::Reports&& all) { told = std::move(all); })
          .has_value());
  EXPECT_TRUE(told.reports.empty());
  TellReport wrong{1, {}};
  wrong.report.obstacle = std::string(100'000, 'x');
  EXPECT_FALSE(inquiries_.on(Seat{1}, wrong));
  EXPECT_TRUE(told.reports.empty());
  TellReport right{1, {}};
  right.report.member = 7;
  EXPECT_TRUE(inquiries_.on(Seat{1}, right));
  ASSERT_EQ(told.reports.size(), 2u);
  EXPECT_EQ(told.reports.back().member, 1u) << "of whom it is, the link knows";
  EXPECT_TRUE(told.silent.empty());
}

TEST_F(Crowded, WhoDoesNotSayHowItIsIsNamed) {
  session::Reports told;
  ASSERT_TRUE(
      inquiries_.ask_how_all_are(nullptr, [&](session::Reports&& all) { told = std::move(all); })
          .has_value());
  ring();
  EXPECT_EQ(told.reports.size(), 1u);
  EXPECT_EQ(told.silent, std::vector<std::uint32_t>{1});
}

}  // namespace
}  // namespace hapax
