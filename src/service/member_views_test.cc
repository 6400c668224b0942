#include "service/member_views.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

namespace hapax {
namespace {

class AllInside final : public Holders {
  bool is_inside(WaiterId) override { return true; }
};

// A group of one: its view begins as soon as it hears of it.
MemberViews alone(Holders& holders) {
  MemberViews views{Policy{}, holders};
  ViewOrders orders;
  views.be_born(Life{1});
  const Register reg{1, {Epoch{1}, {Life{1}}}, {{Life{1}, 1}}};
  const auto join = [&](Keeper& keeper, Keeper::Effects& effects) {
    keeper.announce(effects);
    keeper.on_announced(Outcome::committed, effects);
    keeper.on_register(reg, effects);
  };
  const Keeper::Effects left = views.tell_keeper(join, orders);
  EXPECT_TRUE(left.announce) << "that is for the driver to do";
  EXPECT_TRUE(orders.begun);
  return views;
}

Bytes encoding_of(const MemberViews& views) {
  Bytes bytes;
  views.encode_to(bytes);
  return bytes;
}

TEST(MemberViews, CopiesGoTheirOwnWays) {
  AllInside holders;
  MemberViews original = alone(holders);
  MemberViews copy = original;
  const Bytes before = encoding_of(original);
  EXPECT_EQ(encoding_of(copy), before);
  ViewOrders orders;
  ASSERT_TRUE(copy.acquire("x", WaiterId{1}, Want::exclusive, orders).has_value());
  EXPECT_EQ(orders.grants.size(), 1u);
  EXPECT_EQ(copy.held(), 1u);
  EXPECT_NE(encoding_of(copy), before);
  EXPECT_EQ(original.held(), 0u);
  EXPECT_EQ(encoding_of(original), before);
}

TEST(MemberViews, WhatIsHeldWhenTheLeaseEndsIsLostAndWhatIsEnteredLaterWaits) {
  AllInside holders;
  MemberViews views = alone(holders);
  ViewOrders orders;
  ASSERT_TRUE(views.acquire("x", WaiterId{1}, Want::exclusive, orders).has_value());
  orders.clear();
  views.tell_keeper([](Keeper& keeper, auto& effects) { keeper.lease_ended(effects); }, orders);
  ASSERT_EQ(orders.lost.size(), 1u);
  EXPECT_EQ(orders.lost.front(), WaiterId{1});
  orders.clear();
  ASSERT_TRUE(views.acquire("x", WaiterId{2}, Want::exclusive, orders).has_value());
  EXPECT_TRUE(orders.grants.empty());
  EXPECT_EQ(views.waiting(), 1u);
  views.tell_keeper(
      [](Keeper& keeper, auto& effects) { keeper.on_beat(Outcome::committed, effects); }, orders);
  ASSERT_EQ(orders.grants.size(), 1u);
  EXPECT_EQ(orders.grants.front().waiter, WaiterId{2});
}

TEST(MemberViews, GoByTheAlgorithmsOfTheViewThatRuns) {
  AllInside holders;
  MemberViews views = alone(holders);
  ViewOrders orders;
  ASSERT_TRUE(views.acquire("x", WaiterId{1}, Want::exclusive, orders).has_value());
  ASSERT_TRUE(views.acquire("x", WaiterId{2}, Want::exclusive, orders).has_value());
  const Fence fence = orders.grants.at(0).fence;
  Register reg{1, {Epoch{1}, {Life{1}}}, {{Life{1}, 1}}};
  const std::pair<const char*, const char*> views_by[] = {
      {"y=maekawa\nraymond", "raymond"}, {"token-ring", "token-ring"}, {"", "carvalho-roucairol"}};
  for (const auto& [algorithms, used] : views_by) {
    reg.roll = reg.roll.next(Epoch{number(reg.roll.epoch) + 1});
    reg.roll.members = {Life{1}};
    reg.roll.algorithms = algorithms;
    orders.clear();
    views.tell_keeper(
        [&](Keeper& keeper, Keeper::Effects& effects) { keeper.on_register(reg, effects); },
        orders);
    ASSERT_TRUE(orders.begun);
    EXPECT_TRUE(orders.lost.empty() && orders.grants.empty());
    const auto lock = views.table()->describe("x");
    ASSERT_TRUE(lock && lock->holder);
    EXPECT_EQ(lock->holder->fence, fence);
    EXPECT_EQ(lock->waiters.size(), 1u);
    EXPECT_EQ(lock->algorithm, used);
  }
  ASSERT_TRUE(views.release("x", WaiterId{1}, std::nullopt, orders).has_value());
  ASSERT_EQ(orders.grants.size(), 1u);
  EXPECT_GT(orders.grants[0].fence, fence);
}

// What follows a message that was lost must not arrive without it.
TEST(MemberViews, NothingMoreOfAViewIsSentAfterALinkHasLostSomething) {
  AllInside holders;
  MemberViews views{Policy{}, holders};
  ViewOrders orders;
  views.be_born(Life{1});
  Register reg{1, {Epoch{1}, {Life{1}, Life{2}}}, {{Life{1}, 1}, {Life{2}, 1}}};
  const auto hear_of = [&](Keeper& keeper, Keeper::Effects& effects) {
    keeper.on_register(reg, effects);
    keeper.on_report(Life{2}, reg.roll.epoch, effects);
  };
  views.tell_keeper(
      [](Keeper& keeper, auto& effects) {
        keeper.announce(effects);
        keeper.on_announced(Outcome::committed, effects);
      },
      orders);
  views.tell_keeper(hear_of, orders);
  ASSERT_TRUE(orders.begun);
  orders.clear();
  views.tell_keeper([](Keeper& keeper, auto&) { keeper.renew_view(); }, orders);
  for (std::uint64_t i = 1; i <= 20; ++i) {  // Some have their home at the other member.
    const std::string name = fmt::format("lock-{}", i);
    ASSERT_TRUE(views.acquire(name, WaiterId{i}, Want::exclusive, orders).has_value());
  }
  EXPECT_TRUE(orders.sends.empty());
  orders.clear();
  reg.version = 2;
  reg.roll.epoch = Epoch{2};
  reg.roll.after = {Epoch{1}};
  views.tell_keeper(hear_of, orders);
  EXPECT_TRUE(orders.begun);
  EXPECT_GT(orders.sends.size(), 1u) << "the report, and what is asked for again";
}

}  // namespace
}  // namespace hapax
