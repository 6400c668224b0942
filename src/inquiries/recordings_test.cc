#include "inquiries/recordings.h"

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hapax {
namespace {

// Three members whose links are FIFO and whose timers ring when told to. Of the lock they know
// nothing but who observes it.
class Three : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSize = 3;
  static constexpr std::chrono::milliseconds kDuration{1'000};

  Three() {
    for (std::uint32_t i = 0; i < kSize; ++i) members_.emplace_back(Seat{i}, host_of(i));
  }
  Recordings::Host host_of(std::uint32_t i) {
    return {.others =
                [i] {
                  std::vector<Seat> others;
                  for (std::uint32_t other = 0; other < kSize; ++other) {
                    if (other != i) others.push_back(Seat{other});
                  }
                  return others;
                },
            .is_up = [this](Seat seat) { return seat != away_; },
            .knows_recordings = [](Seat) { return true; },
            .send =
                [this, i](Seat to, const PeerMessage& m) {
                  links_[{i, number(to)}].push_back(m);
                },
            .observe = [this, i](const std::string&, std::shared_ptr<LockObserver> observer)
                -> Result<session::MemberRecording> {
              if (observer && i == without_view_) return error("no view runs there now");
              observers_[i] = std::move(observer);
              session::MemberRecording recorded;
              recorded.place = NodeId{i};
              return recorded;
            },
            .place_of = [](Seat seat) { return NodeId{number(seat)}; },
            .after =
                [this](auto delay, auto then) {
                  (delay > kDuration ? patience_ : timers_).push_back(std::move(then));
                },
            .now_us = [this] { return ++now_; }};
  }
  void deliver(std::uint32_t from, std::uint32_t to) {
    auto& link = links_[{from, to}];
    ASSERT_FALSE(link.empty());
    const PeerMessage message = std::move(link.front());
    link.pop_front();
    std::visit(
        [&](const auto& m) {
          if constexpr (requires { members_[to].on(Seat{from}, m); }) {
            EXPECT_TRUE(members_[to].on(Seat{from}, m));
          }
        },
        message);
  }
  void deliver_all() {
    for (bool more = true; std::exchange(more, false);) {
      for (auto& [link, letters] : links_) {
        while (!letters.empty()) {
          deliver(link.first, link.second);
          more = true;
        }
      }
    }
  }
  void ring() {
    for (const auto& then : std::exchange(timers_, {})) then();
  }
  void lose_patience() {
    for (const auto& then : std::exchange(patience_, {})) then();
  }
  Result<void> record() {
    return members_[0].record("x", kDuration, [this](const auto& told) {
      told_.push_back(told ? std::string{"good"} : told.error().message);
      if (told) recording_ = *told;
    });
  }

  std::optional<Seat> away_;
  std::uint32_t without_view_ = kSize;
  std::deque<Recordings> members_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<PeerMessage>> links_;
  std::map<std::uint32_t, std::shared_ptr<LockObserver>> observers_;
  std::vector<std::function<void()>> timers_, patience_;
  std::uint64_t now_ = 0;
  std::vector<std::string> told_;
  session::Recording recording_;
};

TEST_F(Three, EachBeginsAtTheFirstWordAndNotesWhenTheOthersDid) {
  ASSERT_TRUE(record());
  deliver(0, 1);
  ASSERT_TRUE(observers_[1]);
  EXPECT_FALSE(observers_[2]);
  deliver(1, 2);  // Before it hears of it from the first.
  ASSERT_TRUE(observers_[2]);
  observers_[2]->on_step({LockStep::Kind::receive, NodeId{0}, {1, 2}, 0, {}});
  deliver_all();
  ring();
  deliver_all();
  ASSERT_EQ(told_, std::vector<std::string>{"good"});
  ASSERT_EQ(recording_.members.size(), 3u);
  for (const auto& member : recording_.members) {
    std::size_t marks = 0;
    for (const LockStep& step : member.steps) marks += step.kind == LockStep::Kind::mark ? 1 : 0;
    EXPECT_EQ(marks, 2u);
    EXPECT_FALSE(observers_[member.member]);  // It is off again.
    if (member.member != 2) continue;
    // What came from the first before its word was under way when it began.
    EXPECT_EQ(member.steps[1].kind, LockStep::Kind::receive);
    EXPECT_EQ(member.steps[2].kind, LockStep::Kind::mark);
    EXPECT_EQ(member.steps[2].peer, NodeId{0});
  }
}

TEST_F(Three, OneAtATimeAndWhatComesLateBeginsNothing) {
  ASSERT_TRUE(record());
  EXPECT_FALSE(record());
  const PeerMessage word = links_[{0, 1}].front();
  deliver_all();
  ring();
  deliver_all();
  links_[{2, 1}].push_back(word);
  deliver_all();
  EXPECT_FALSE(observers_[1]);
  ASSERT_TRUE(record());
}

TEST_F(Three, WithoutAllMembersThereIsNone) {
  away_ = Seat{2};
  EXPECT_FALSE(record());
  EXPECT_FALSE(observers_[0]);
  away_.reset();
  without_view_ = 1;
  ASSERT_TRUE(record());
  deliver_all();
  ring();
  deliver_all();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_NE(told_[0].find("no view runs there now"), std::string::npos);
  // One that says nothing at all.
  without_view_ = kSize;
  told_.clear();
  ASSERT_TRUE(record());
  ring();
  lose_patience();
  EXPECT_EQ(told_, std::vector<std::string>{"not all members told what they recorded"});
}

TEST_F(Three, ALockThatIsBusyDoesNotFillTheMemory) {
  ASSERT_TRUE(record());
  for (int i = 0; i < 100'000; ++i) {
    observers_[0]->on_step({LockStep::Kind::receive, NodeId{1}, {1, 2, 3}, 0, {}});
  }
  deliver_all();
  ring();
  deliver_all();
  ASSERT_EQ(told_, std::vector<std::string>{"good"});
  for (const auto& member : recording_.members) {
    EXPECT_EQ(member.is_cut, member.member == 0);
    EXPECT_LT(member.steps.size(), 10'000u);
  }
}

// From a member that has gone wrong.
TEST_F(Three, TakesNothingThatNoMemberSays) {
  EXPECT_FALSE(members_[1].on(Seat{0}, RecordLock{0, 1, "x", 0}));
  EXPECT_FALSE(members_[1].on(Seat{0}, RecordLock{0, 1, "x", 1'000'000}));
  EXPECT_TRUE(members_[1].on(Seat{0}, RecordLock{77, 1, "x", 10}));  // On nobody's behalf.
  EXPECT_FALSE(observers_[1]);
  TellRecorded told;
  told.recorded.refusal = std::string(10'000, 'x');
  EXPECT_FALSE(members_[0].on(Seat{1}, told));
}

}  // namespace
}  // namespace hapax
