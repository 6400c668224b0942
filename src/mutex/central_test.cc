#include "mutex/central.h"

#include <gmock/gmock.h>

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;

TEST(Central, AnEntryTakesThreeMessages) {
  Network<Central> net{10};
  net.request(7);
  net.settle();
  EXPECT_EQ(net.sent(), 3u);
}

TEST(Central, TheCoordinatorsOwnEntriesTakeNone) {
  Network<Central> net{10, 4};
  for (int i = 0; i < 5; ++i) {
    net.request(4);
    net.release(4);
  }
  EXPECT_EQ(net.entries().size(), 5u);
  EXPECT_EQ(net.sent(), 0u);
}

TEST(Central, ClientDelayIsTwoMessages) {
  Network<Central> net{5};
  net.request(3);
  EXPECT_EQ(net.ticks_until_inside(3), 2u);
}

TEST(Central, SynchronizationDelayIsTwoMessages) {
  Network<Central> net{5};
  net.request(3);
  net.request(4);
  net.drain();
  net.release(3);
  EXPECT_EQ(net.ticks_until_inside(4), 2u);
}

TEST(Central, ServesInTheOrderOfArrivalAtTheCoordinator) {
  Network<Central> net{4};
  for (const std::uint32_t node : Order{1, 2, 3}) net.request(node);
  for (const std::uint32_t node : Order{3, 1}) net.deliver(node, 0);
  net.request(0);
  net.settle();
  EXPECT_EQ(net.order(), (Order{3, 1, 0, 2}));
}

TEST(Central, TurnsAreCountedAtTheCoordinator) {
  Network<Central> net{3};
  for (const std::uint32_t node : Order{2, 1, 0}) {
    net.request(node);
    net.settle();
  }
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(net.entries()[i].fence.turn, Turn{i + 1});
}

TEST(Central, DeniedTellsWhoHasToQueueAndNobodyElse) {
  Network<Central> net{3, 0, false, {.say_denied = true}};
  net.request(1);
  net.drain();
  EXPECT_EQ(net.sent(), 2u);
  net.request(2);
  net.request(0);
  net.drain();
  EXPECT_EQ(net.sent(), 4u);
  EXPECT_THAT(
      net.reasons(),
      ::testing::ElementsAre("#2 waits on: somebody is inside, and the coordinator has queued it"));
  net.settle();
  EXPECT_EQ(net.order(), (Order{1, 0, 2}));
  EXPECT_EQ(net.sent(), 7u);
}

TEST(Central, StartsFromEveryView) {
  testing::expect_starts_from_every_view<Central>();
  testing::expect_starts_from_every_view<Central>({.say_denied = true});
}

TEST(Central, ServesEveryRequestInEverySchedule) {
  testing::expect_all_served<Central>();
  testing::expect_all_served<Central>(3, {.say_denied = true});
}

TEST(Central, WhoeverIsServedLeavesNoTraceButTheTurn) {
  Network<Central> net{3};
  net.request(1);
  net.settle();
  EXPECT_TRUE(net.node(1) == Central{net.view(1)});
  EXPECT_TRUE(net.node(2) == Central{net.view(2)});
}

TEST(Central, RefusesWhatTheProtocolForbids) {
  Network<Central> net{3, 0, false, {.say_denied = true}};
  EXPECT_EQ(verdict(net.node(1), 2, Central::Request{}), Reject::not_a_member);
  EXPECT_EQ(verdict(net.node(1), 2, Central::Release{}), Reject::not_granted);
  EXPECT_EQ(verdict(net.node(1), 2, Central::Grant{Turn{1}}), Reject::not_a_member);
  EXPECT_EQ(verdict(net.node(1), 2, Central::Denied{}), Reject::not_a_member);
  EXPECT_EQ(verdict(net.node(1), 0, Central::Grant{Turn{1}}), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(1), 0, Central::Denied{}), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(0), 1, Central::Release{}), Reject::not_granted);
  net.request(1);
  net.request(2);
  net.drain();
  EXPECT_EQ(verdict(net.node(0), 2, Central::Request{}), Reject::asked_twice);
  EXPECT_EQ(verdict(net.node(0), 2, Central::Release{}), Reject::not_granted);
  EXPECT_EQ(verdict(net.node(0), 1, Central::Release{}), Reject::none);
}

TEST(CentralDeathTest, AskingTwiceIsOurOwnMistake) {
  Network<Central> net{2};
  net.request(1);
  EXPECT_DEATH(net.request(1), "phase_ == Phase::idle");
  EXPECT_DEATH(net.release(1), "phase_ == Phase::inside");
}

}  // namespace
}  // namespace hapax
