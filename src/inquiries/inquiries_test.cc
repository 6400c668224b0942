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
  // Of 1,000 locks, 400 a page.
  LocksPage page(std::uint64_t place) const {
    LocksPage page;
    const std::uint64_t end = std::min<std::uint64_t>(place + LockList::kPage, 1'000);
    for (; place < end; ++place) page.list.add(numbered(place));
    page.next = end < 1'000 ? end : 0;
    return page;
  }
  static session::Lock numbered(std::uint64_t number) {
    return {std::to_string(number), "central", session::Person{}, {}, {}};
  }
  // All timers but the first, which is that of patience.
  void go_on() {
    auto timers = std::exchange(timers_, {});
    timers_.push_back(std::move(timers.front()));
    for (std::size_t i = 1; i < timers.size(); ++i) timers[i]();
  }
  void ring() {
    for (const auto& then : std::exchange(timers_, {})) then();
  }

  bool knows_pages_ = true;
  std::vector<PeerMessage> messages_;
  std::vector<std::size_t> sent_;
  std::vector<std::function<void()>> timers_;
  Inquiries inquiries_{
      Seat{0},
      {[] { return std::vector{Seat{1}}; },
       [this](Seat, const PeerMessage& message) {
         sent_.push_back(payload_of(message).size());
         messages_.push_back(message);
       },
       [](Seat) { return true; }, [this](const std::string&) { return crowd(); },
       [this](std::uint64_t place) { return page(place); }, [this](Seat) { return knows_pages_; },
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

// --- all locks, page by page ---

TEST_F(Crowded, AllLocksComePageByPage) {
  std::optional<session::Locks> told;
  ASSERT_TRUE(inquiries_.ask_for_all([&](session::Locks&& all) { told = std::move(all); }));
  EXPECT_FALSE(inquiries_.ask_for_all([](session::Locks&&) {})) << "one at a time";
  go_on();
  go_on();
  EXPECT_FALSE(told) << "the other member has said nothing yet";
  const auto asked = std::get<AskLocksFrom>(messages_.at(0));
  EXPECT_EQ(asked.place, 0u);
  EXPECT_TRUE(inquiries_.on(Seat{1}, TellLocksFrom{asked.question, {numbered(5'000)}, 7}));
  EXPECT_EQ(std::get<AskLocksFrom>(messages_.at(1)).place, 7u);
  EXPECT_TRUE(inquiries_.on(Seat{2}, TellLocksFrom{asked.question, {numbered(9'999)}, 0}))
      << "whom nobody asked";
  EXPECT_TRUE(inquiries_.on(Seat{1}, TellLocksFrom{asked.question, {numbered(6'000)}, 0}));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->locks.size(), 1'002u);
  EXPECT_TRUE(told->silent.empty());
  EXPECT_TRUE(inquiries_.ask_for_all([](session::Locks&&) {}));
}

TEST_F(Crowded, WhoDoesNotAnswerIsNamed) {
  std::optional<session::Locks> told;
  ASSERT_TRUE(inquiries_.ask_for_all([&](session::Locks&& all) { told = std::move(all); }));
  go_on();
  go_on();
  EXPECT_FALSE(told);
  ring();  // Its patience is over.
  ASSERT_TRUE(told);
  EXPECT_EQ(told->silent, std::vector<std::uint32_t>{1});
}

TEST_F(Crowded, AMemberOfAnEarlierReleaseTellsWhatItCan) {
  knows_pages_ = false;
  std::optional<session::Locks> told;
  ASSERT_TRUE(inquiries_.ask_for_all([&](session::Locks&& all) { told = std::move(all); }));
  const auto asked = std::get<AskLocks>(messages_.at(0));
  EXPECT_TRUE(inquiries_.on(Seat{1}, TellLocks{asked.question, {numbered(5'000)}, 3}));
  const auto patience = std::exchange(timers_, {});
  patience.back()();
  ring();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->locks.size(), 1'001u);
  EXPECT_EQ(told->more_locks, 3u);
}

TEST_F(Crowded, NoMoreThanTenThousandAreGathered) {
  std::optional<session::Locks> told;
  ASSERT_TRUE(inquiries_.ask_for_all([&](session::Locks&& all) { told = std::move(all); }));
  const auto asked = std::get<AskLocksFrom>(messages_.at(0));
  for (std::uint64_t page = 1;
       page < 100 && inquiries_.on(Seat{1},
                                   [&] {
                                     TellLocksFrom tell{asked.question, {}, page};
                                     for (std::uint64_t i = 0; i < 400; ++i)
                                       tell.locks.push_back(numbered(2'000 + page * 400 + i));
                                     return tell;
                                   }());
       ++page) {
  }
  for (int i = 0; i < 4 && !told; ++i) ring();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->locks.size(), LockList::kOfPages.locks);
  EXPECT_GT(told->more_locks, 0u);
}

}  // namespace
}  // namespace hapax
