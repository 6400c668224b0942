#include "mutex/bakery.h"

#include <gmock/gmock.h>

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;

TEST(Bakery, AnEntryTakesSixMessagesForEveryOtherMember) {
  Network<Bakery> net{10};
  net.request(7);
  net.settle();
  EXPECT_EQ(net.sent(), 54u);
}

TEST(Bakery, ContendedEntriesTakeTheSame) {
  Network<Bakery> net{5};
  for (std::uint32_t node = 0; node < 5; ++node) net.request(node);
  net.settle();
  EXPECT_EQ(net.sent(), 5u * 6 * 4);
}

TEST(Bakery, ClientDelayIsSixMessages) {
  Network<Bakery> net{5};
  net.request(3);
  EXPECT_EQ(net.ticks_until_inside(3), 6u);
}

TEST(Bakery, SynchronizationDelayIsOneMessage) {
  Network<Bakery> net{5, 2, true};
  net.request(3);
  net.drain();
  net.release(2);
  EXPECT_EQ(net.ticks_until_inside(3), 1u);
}

TEST(Bakery, ServesInTheOrderOfTickets) {
  Network<Bakery> net{4, 1, true};
  for (const std::uint32_t node : Order{3, 0, 2}) {
    net.request(node);
    net.drain();
  }
  net.settle();
  EXPECT_EQ(net.order(), (Order{3, 0, 2}));
}

TEST(Bakery, OfEqualTicketsTheLowerIdGoesFirst) {
  Network<Bakery> net{3};
  for (const std::uint32_t node : Order{2, 1, 0}) net.request(node);
  net.settle();
  EXPECT_EQ(net.order(), (Order{0, 1, 2}));
}

// Without `choosing`, #1 would pass #0 while that draws the same ticket, and both would enter.
TEST(Bakery, WhoeverIsChoosingKeepsReadersWaiting) {
  Network<Bakery> net{3};
  net.request(0);
  net.deliver(0, 1);
  net.deliver(1, 0);
  net.request(1);
  net.deliver(1, 0);
  net.deliver(0, 1);
  net.deliver(1, 2);
  net.deliver(2, 1);
  net.deliver(1, 0);
  EXPECT_EQ(net.reasons(),
            std::vector<std::string>{"#0 keeps #1 waiting: it is choosing a number"});
  net.settle();
  EXPECT_EQ(net.order(), (Order{0, 1}));
}

TEST(Bakery, TicketsAreSmallAgainWhenAllAreIdleButTurnsGrow) {
  Network<Bakery> net{3};
  for (std::uint64_t turn = 1; turn <= 6; ++turn) {
    const auto node = static_cast<std::uint32_t>(turn % 3);
    net.request(node);
    net.drain();
    EXPECT_THAT(net.reasons().back(), ::testing::HasSubstr("before (1,"));
    EXPECT_EQ(net.entries().back().fence.turn, Turn{turn});
    net.release(node);
  }
}

TEST(Bakery, WhoeverIsInsideAtTheStartHasTicketOne) {
  Network<Bakery> net{2, 0, true};
  net.request(1);
  net.drain();
  EXPECT_EQ(net.reasons(),
            std::vector<std::string>{"#0 keeps #1 waiting: own ticket (1,#0) precedes (2,#1)"});
}

TEST(Bakery, StartsFromEveryView) { testing::expect_starts_from_every_view<Bakery>(); }

TEST(Bakery, ServesEveryRequestInEverySchedule) { testing::expect_all_served<Bakery>(); }

TEST(Bakery, RefusesAnswersItHasNotAskedFor) {
  Network<Bakery> net{3};
  EXPECT_EQ(verdict(net.node(1), 0, Bakery::Number{1}), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(1), 0, Bakery::Chosen{}), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(1), 0, Bakery::Passed{}), Reject::not_asked);
  net.request(1);
  EXPECT_EQ(verdict(net.node(1), 0, Bakery::Chosen{}), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(1), 0, Bakery::Number{~std::uint64_t{0}}), Reject::not_granted);
  EXPECT_EQ(verdict(net.node(1), 0, Bakery::Number{1}), Reject::none);
  net.deliver(1, 0);
  net.deliver(0, 1);
  EXPECT_EQ(verdict(net.node(1), 0, Bakery::Number{1}), Reject::not_asked) << "answers twice";
}

TEST(Bakery, RefusesQuestionsThatNobodyAsks) {
  Network<Bakery> net{2, 0, true};
  EXPECT_EQ(verdict(net.node(0), 1, Bakery::ReadTurn{0}), Reject::not_granted);
  net.request(1);
  net.drain();
  EXPECT_EQ(verdict(net.node(0), 1, Bakery::ReadTurn{2}), Reject::asked_twice) << "asks twice";
}

}  // namespace
}  // namespace hapax
