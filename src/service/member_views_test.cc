#include "service/member_views.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hapax
