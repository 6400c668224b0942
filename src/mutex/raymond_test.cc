#include "mutex/raymond.h"

#include "mutex/testing/network.h"
#include "voting/tree.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;

TEST(Raymond, AnEntryTakesTwoMessagesAHopToTheToken) {
  for (std::uint32_t holder = 0; holder < 15; ++holder) {
    for (std::uint32_t asker = 0; asker < 15; ++asker) {
      Network<Raymond> net{15, holder};
      net.request(asker);
      const std::uint32_t hops = HeapTree::distance(NodeId{holder}, NodeId{asker});
      EXPECT_EQ(net.ticks_until_inside(asker), 2 * hops) << holder << " " << asker;
      net.settle();
      EXPECT_EQ(net.sent(), 2 * hops) << holder << " " << asker;
    }
  }
}

TEST(Raymond, WhoeverHasTheTokenEntersForNothing) {
  Network<Raymond> net{7, 5};
  for (int i = 0; i < 3; ++i) {
    net.request(5);
    net.release(5);
  }
  EXPECT_EQ(net.entries().size(), 3u);
  EXPECT_EQ(net.sent(), 0u);
}

TEST(Raymond, SynchronizationDelayIsTheWayOfTheToken) {
  Network<Raymond> net{15, 7, true};
  net.request(14);
  net.drain();
  net.release(7);
  EXPECT_EQ(net.ticks_until_inside(14), 6u);
}

// #3 and #4 are children of #1: their requests travel on as one.
TEST(Raymond, OneRequestStandsForAllBehindIt) {
  Network<Raymond> net{7, 0, true};
  for (const std::uint32_t node : Order{3, 4, 1}) net.request(node);
  net.drain();
  EXPECT_EQ(net.sent(), 3u) << "3->1, 4->1, 1->0";
  net.settle();
  EXPECT_EQ(net.order(), (Order{1, 3, 4}));
}

TEST(Raymond, NeighboursAreServedInTheOrderOfAsking) {
  Network<Raymond> net{3, 0, true};
  for (const std::uint32_t node : Order{2, 1}) {
    net.request(node);
    net.drain();
  }
  net.release(0);
  net.request(0);
  net.settle();
  EXPECT_EQ(net.order(), (Order{2, 1, 0}));
}

TEST(Raymond, PointersLeadToTheHolderFromTheStart) {
  Network<Raymond> net{1'000, 613};
  net.request(998);
  net.settle();
  EXPECT_EQ(net.sent(), 2 * HeapTree::distance(NodeId{613}, NodeId{998}));
}

TEST(Raymond, StartsFromEveryView) { testing::expect_starts_from_every_view<Raymond>(); }

TEST(Raymond, ServesEveryRequestInEverySchedule) { testing::expect_all_served<Raymond>(); }

TEST(Raymond, RefusesWhatTheProtocolForbids) {
  Network<Raymond> net{7};
  const Raymond::Token token{Turn{5}};
  EXPECT_EQ(verdict(net.node(0), 3, Raymond::Request{}), Reject::not_a_member) << "no neighbour";
  EXPECT_EQ(verdict(net.node(1), 0, Raymond::Request{}), Reject::not_a_member) << "has the token";
  EXPECT_EQ(verdict(net.node(0), 1, token), Reject::second_token);
  EXPECT_EQ(verdict(net.node(1), 3, token), Reject::second_token);
  EXPECT_EQ(verdict(net.node(1), 0, token), Reject::not_asked);
  net.request(3);
  net.deliver(3, 1);
  EXPECT_EQ(verdict(net.node(1), 3, Raymond::Request{}), Reject::asked_twice) << "asks twice";
  EXPECT_EQ(verdict(net.node(1), 0, token), Reject::none);
}

}  // namespace
}  // namespace hapax
