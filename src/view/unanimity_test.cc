#include "view/unanimity.h"

#include <cmath>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "view/keeper.h"

namespace hapax {
namespace {

constexpr Life kA1{11}, kB1{12}, kC1{13}, kC2{23};
constexpr NodeId kNodeA{0}, kNodeB{1}, kNodeC{2};

Roll roll_of(std::uint64_t epoch, std::vector<Life> members) {
  return {Epoch{epoch}, std::move(members)};
}

// Member A of three, connected to both others.
Unanimity connected(std::uint64_t promised = 0) {
  Unanimity list{kNodeA, kA1, 3, Epoch{promised}};
  list.met(kNodeB, kB1);
  list.met(kNodeC, kC1);
  return list;
}

TEST(Unanimity, ProposesWhenEverybodyIsThere) {
  Unanimity list{kNodeA, kA1, 3, Epoch{7}};
  list.met(kNodeB, kB1);
  EXPECT_FALSE(list.propose({}, false));
  list.met(kNodeC, kC1);
  EXPECT_TRUE(list.propose({}, false));
  EXPECT_EQ(list.wanted(), roll_of(8, {kA1, kB1, kC1}));
  EXPECT_FALSE(list.propose({}, false)) << "it does already";
  EXPECT_EQ(list.highest_promised(), Epoch{7}) << "nothing is written down yet";
  EXPECT_EQ(list.promised(Epoch{8}), roll_of(8, {kA1, kB1, kC1}));
  EXPECT_EQ(list.wanted(), std::nullopt);
}

TEST(Unanimity, LeavesAViewOfTheseLivesAlone) {
  Unanimity list = connected(8);
  const Roll now = roll_of(8, {kA1, kB1, kC1});
  EXPECT_FALSE(list.propose(now, false));
  EXPECT_TRUE(list.propose(now, true)) << "it is to begin afresh";
  EXPECT_EQ(list.wanted()->epoch, Epoch{9});
}

TEST(Unanimity, FollowsALaterEpochOnce) {
  Unanimity list = connected(8);
  EXPECT_FALSE(list.on_report(roll_of(8, {kA1, kB1, kC1}))) << "it may have reported for another";
  EXPECT_TRUE(list.on_report(roll_of(10, {kA1, kB1, kC1})));
  EXPECT_FALSE(list.on_report(roll_of(10, {kA1, kB1, kC1}))) << "it is at it";
  EXPECT_TRUE(list.promised(Epoch{10}).has_value());
  EXPECT_FALSE(list.on_report(roll_of(10, {kA1, kB1, kC1})));
}

TEST(Unanimity, ALaterRollOvertakesOneThatIsBeingWrittenDown) {
  Unanimity list = connected();
  EXPECT_TRUE(list.on_report(roll_of(3, {kA1, kB1, kC1})));
  EXPECT_TRUE(list.on_report(roll_of(4, {kA1, kB1, kC1})));
  EXPECT_EQ(list.promised(Epoch{3}), std::nullopt);
  EXPECT_EQ(list.promised(Epoch{4}), roll_of(4, {kA1, kB1, kC1}));
}

TEST(Unanimity, FollowsNobodyWhoKnowsOtherLives) {
  Unanimity list = connected();
  EXPECT_FALSE(list.on_report(roll_of(5, {kA1, kB1, kC2})));
  EXPECT_FALSE(list.on_report(roll_of(5, {Life{1}, kB1, kC1}))) << "a former life of ours";
  EXPECT_FALSE(list.on_report(roll_of(5, {kA1, kB1}))) << "another list";
  EXPECT_FALSE(list.on_report(roll_of(~0ull, {kA1, kB1, kC1})));
  list.parted(kNodeC);
  EXPECT_TRUE(list.on_report(roll_of(6, {kA1, kB1, kC2}))) << "who is away is believed to be new";
}

TEST(Unanimity, FollowsNoEpochOfWhichItDroppedAReport) {
  Unanimity list = connected();
  EXPECT_FALSE(list.on_report(roll_of(5, {kA1, kB1, kC2}))) << "C is another, as far as it knows";
  list.parted(kNodeC);
  list.met(kNodeC, kC2);
  EXPECT_FALSE(list.on_report(roll_of(5, {kA1, kB1, kC2}))) << "that report is gone";
  EXPECT_TRUE(list.on_report(roll_of(6, {kA1, kB1, kC2})));
}

TEST(Unanimity, ProposesAboveWhatItDidNotFollow) {
  Unanimity list = connected();
  EXPECT_FALSE(list.on_report(roll_of(5, {kA1, kB1, kC2})));
  list.parted(kNodeC);
  list.met(kNodeC, kC2);
  EXPECT_TRUE(list.propose({}, false));
  EXPECT_EQ(list.wanted(), roll_of(6, {kA1, kB1, kC2}));
}

// Members with their keepers, links that keep order and writes that take a moment; restarts at
// random, of several at once. When the last has come back, all run in one view of all lives.
class List {
 public:
  List(std::uint32_t size, std::uint64_t seed) : prng_(seed), links_(size * size) {
    for (std::uint32_t i = 0; i < size; ++i) members_.push_back(born(i, Epoch{}));
  }

  void restart(std::uint32_t i) {
    for (std::uint32_t j = 0; j < members_.size(); ++j) {
      if (j == i) continue;
      members_[j].list.parted(NodeId{i});
      link(i, j).clear();
      link(j, i).clear();
    }
    members_[i] = born(i, members_[i].written);
  }

  // One step of some member; false if that one had nothing to do.
  bool step() {
    const std::uint32_t i = any();
    Member& m = members_[i];
    switch (prng_.below(3)) {
      case 0:
        return meet(i, any());
      case 1: {
        if (m.list.propose(m.keeper.standing() == Standing::announced ? Roll{} : m.keeper.roll(),
                           false)) {
          return true;
        }
        if (!m.list.wanted()) return false;
        m.written = m.list.wanted()->epoch;
        report(i, m.list.promised(m.written));
        return true;
      }
      default:
        return deliver(any(), i);
    }
  }

  bool is_one_view() const {
    for (const Member& m : members_) {
      if (m.keeper.standing() != Standing::running) return false;
      if (m.keeper.roll() != members_.front().keeper.roll()) return false;
      if (m.keeper.roll().members[number(m.list.self())] != m.keeper.self()) return false;
    }
    return true;
  }
  std::map<Epoch, Roll> begun;  // What each epoch meant.

 private:
  struct Member {
    Unanimity list;
    Keeper keeper;
    Epoch written{};
  };

  std::uint32_t any() { return static_cast<std::uint32_t>(prng_.below(members_.size())); }
  Member born(std::uint32_t i, Epoch written) {
    const Life life{100 * ++lives_ + i};
    Member member{{NodeId{i}, life, static_cast<std::uint32_t>(std::sqrt(links_.size())), written},
                  Keeper{life},
                  written};
    Keeper::Effects fx;
    member.keeper.announce(fx);
    member.keeper.on_announced(Outcome::committed, fx);
    return member;
  }
  std::deque<std::pair<Life, Roll>>& link(std::uint32_t from, std::uint32_t to) {
    return links_[from * members_.size() + to];
  }
  // One end at a time: the other may not have noticed yet.
  bool meet(std::uint32_t i, std::uint32_t j) {
    if (i == j || members_[i].list.life_at(NodeId{j}) != Life{}) return false;
    members_[i].list.met(NodeId{j}, members_[j].keeper.self());
    return true;
  }
  void report(std::uint32_t i, const std::optional<Roll>& roll) {
    if (!roll) return;
    Keeper::Effects fx;
    members_[i].keeper.on_roll(*roll, fx);
    EXPECT_TRUE(fx.report);
    for (std::uint32_t j = 0; j < members_.size(); ++j) {
      // What is sent to a life that is over goes nowhere.
      if (j != i && members_[j].keeper.self() == roll->members[j]) {
        link(i, j).push_back({members_[i].keeper.self(), *roll});
      }
    }
    note_begin(i, fx);
  }
  bool deliver(std::uint32_t from, std::uint32_t i) {
    if (from == i || link(from, i).empty()) return false;
    Member& m = members_[i];
    if (m.list.life_at(NodeId{from}) == Life{}) return false;
    const auto [life, roll] = link(from, i).front();
    Keeper::Effects fx;
    // One that is being written down is waited for.
    if (m.list.on_report(roll) || (m.list.wanted() && m.list.wanted() == roll)) return true;
    link(from, i).pop_front();
    if (m.keeper.standing() == Standing::changing && roll == m.keeper.roll()) {
      m.keeper.on_report(life, roll.epoch, fx);
    }
    note_begin(i, fx);
    return true;
  }
  void note_begin(std::uint32_t i, const Keeper::Effects& fx) {
    if (!fx.begin) return;
    const Roll& roll = members_[i].keeper.roll();
    EXPECT_EQ(begun.try_emplace(roll.epoch, roll).first->second, roll);
  }

  Prng prng_;
  std::uint64_t lives_ = 0;
  std::vector<std::deque<std::pair<Life, Roll>>> links_;
  std::vector<Member> members_;
};

TEST(Unanimity, NoEpochHasTwoMeaningsAndAllEndUpInOneView) {
  constexpr std::uint64_t kSeeds = 300;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Prng prng{seed};
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(prng.below(n)); };
    const std::uint32_t size = 2 + below(4);
    List list{size, seed};
    for (int round = 0; round < 6; ++round) {
      for (std::uint32_t steps = below(60); steps > 0; --steps) list.step();
      for (std::uint32_t n = 1 + below(size); n > 0; --n) list.restart(below(size));
    }
    int steps = 0;
    while (!list.is_one_view() && steps < 20'000) steps += 1, list.step();
    ASSERT_TRUE(list.is_one_view()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace hapax
