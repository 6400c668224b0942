#include "mutex/carvalho_roucairol.h"

#include <gmock/gmock.h>

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;

TEST(CarvalhoRoucairol, EnteringAgainCostsNothing) {
  Network<CarvalhoRoucairol> net{10};
  net.request(7);
  net.settle();
  net.forget_sent();
  for (int i = 0; i < 5; ++i) {
    net.request(7);
    EXPECT_EQ(net.phase(7), Phase::inside) << "at once";
    net.release(7);
  }
  EXPECT_EQ(net.entries().size(), 6u);
  EXPECT_EQ(net.sent(), 0u);
}

TEST(CarvalhoRoucairol, TheHolderOfTheViewNeedsToAskNobody) {
  Network<CarvalhoRoucairol> net{10, 4};
  net.request(4);
  EXPECT_EQ(net.phase(4), Phase::inside);
  EXPECT_EQ(net.sent(), 0u);
}

TEST(CarvalhoRoucairol, OnlyThoseAreAskedWhosePermissionIsMissing) {
  Network<CarvalhoRoucairol> net{6};
  for (const std::uint32_t node : Order{1, 2}) {
    net.request(node);
    net.settle();
  }
  net.forget_sent();
  net.request(1);
  net.settle();
  EXPECT_EQ(net.sent(), 2u) << "since #1 was inside only #2 has been";
}

TEST(CarvalhoRoucairol, TheWorstCaseIsTwoMessagesForEveryOtherMember) {
  Network<CarvalhoRoucairol> net{6};
  for (std::uint32_t node = 0; node < 6; ++node) {
    net.request(node);
    net.settle();
  }
  net.forget_sent();
  net.request(0);
  net.settle();
  EXPECT_EQ(net.sent(), 10u);
}

TEST(CarvalhoRoucairol, NeverMoreThanTwoMessagesForEveryOtherMember) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Network<CarvalhoRoucairol> net{5};
    net.run_random(seed, 4);
    EXPECT_LE(net.sent(), net.entries().size() * 2 * 4) << seed;
  }
}

TEST(CarvalhoRoucairol, ClientDelayIsTwoMessages) {
  Network<CarvalhoRoucairol> net{5};
  net.request(3);
  EXPECT_EQ(net.ticks_until_inside(3), 2u);
}

TEST(CarvalhoRoucairol, SynchronizationDelayIsOneMessage) {
  Network<CarvalhoRoucairol> net{5, 2, true};
  net.request(3);
  net.drain();
  net.release(2);
  EXPECT_EQ(net.ticks_until_inside(3), 1u);
}

// The request of #1 has clock 1 and travels slowly; #0 enters again and again meanwhile, without
// telling anybody. The stamp of the request would be a fence that goes back.
TEST(CarvalhoRoucairol, TheTurnIsDrawnAtEntryNotAtTheRequest) {
  Network<CarvalhoRoucairol> net{2};
  net.request(1);
  for (int i = 0; i < 10; ++i) {
    net.request(0);
    net.release(0);
  }
  const Fence last_of_0 = net.entries().back().fence;
  EXPECT_GE(number(last_of_0.turn), 10u);
  net.drain();
  ASSERT_EQ(net.order().back(), 1u);
  EXPECT_TRUE(last_of_0 < net.entries().back().fence);
}

TEST(CarvalhoRoucairol, AnIdleMemberHandsOverAndMustAskNextTime) {
  Network<CarvalhoRoucairol> net{2};
  net.request(1);
  net.deliver(1, 0);
  EXPECT_EQ(net.reasons(),
            std::vector<std::string>{"#0 hands permission to #1: it does not want to enter"});
  net.request(0);
  EXPECT_EQ(net.phase(0), Phase::waiting);
}

// It has the permission of the pair, but not yet all; the earlier request takes it away.
TEST(CarvalhoRoucairol, WhoeverWaitsHandsOverToAnEarlierRequestAndAsksForItBack) {
  Network<CarvalhoRoucairol> net{3, 2};
  net.request(1);  // (1,#1), asks #0 and #2
  net.deliver(1, 2);
  net.deliver(2, 1);
  net.request(0);  // (1,#0), asks #2 only: of the pair #0, #1 it has the permission
  net.deliver(1, 0);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#0 defers #1: own (1,#0) precedes (1,#1)"});
  net.settle();
  EXPECT_EQ(net.order(), (Order{0, 1}));

  Network<CarvalhoRoucairol> other{3, 0, true};
  other.request(1);  // (1,#1), asks #0; of the pair #1, #2 it has the permission
  other.act(2, [](CarvalhoRoucairol& a, auto&) { a.raise_clock(Clock{5}); });
  other.act(1, [](CarvalhoRoucairol& a, auto&) { a.raise_clock(Clock{5}); });
  other.request(2);  // (6,#2)
  other.deliver(2, 1);
  EXPECT_EQ(other.reasons(), std::vector<std::string>{"#1 defers #2: own (1,#1) precedes (6,#2)"});
  other.settle();
  EXPECT_EQ(other.order(), (Order{1, 2}));
}

TEST(CarvalhoRoucairol, TheLaterOfTwoHandsOverAndAsksAtOnceAgain) {
  Network<CarvalhoRoucairol> net{3, 0, true};
  net.act(1, [](CarvalhoRoucairol& a, auto&) { a.raise_clock(Clock{5}); });
  net.request(1);  // (6,#1)
  net.request(2);  // (1,#2)
  net.deliver(2, 1);
  EXPECT_EQ(net.reasons(),
            std::vector<std::string>{
                "#1 hands permission to #2, (1,#2) precedes own (6,#1), and asks for it back"});
  net.settle();
  EXPECT_EQ(net.order(), (Order{2, 1}));
}

// Only those who have asked, and what they were given, take memory.
TEST(CarvalhoRoucairol, ManyMembersThatNobodyAskedAreEqualToFreshOnes) {
  Network<CarvalhoRoucairol> net{200, 7};
  net.request(150);
  net.settle();
  EXPECT_EQ(net.sent(), 2 * 150u) << "those below, #7 among them";
  EXPECT_TRUE(net.node(199) == CarvalhoRoucairol{net.view(199)});
  net.forget_sent();
  net.request(199);
  net.settle();
  net.request(150);
  net.settle();
  EXPECT_EQ(net.sent(), 2 * 199u + 2) << "#150 lacks what #199 took, and nothing else";
}

TEST(CarvalhoRoucairol, StartsFromEveryView) {
  testing::expect_starts_from_every_view<CarvalhoRoucairol>();
}

TEST(CarvalhoRoucairol, ServesEveryRequestInEverySchedule) {
  testing::expect_all_served<CarvalhoRoucairol>(6);
}

TEST(CarvalhoRoucairol, RefusesWhatTheProtocolForbids) {
  Network<CarvalhoRoucairol> net{3};
  EXPECT_EQ(verdict(net.node(0), 1, CarvalhoRoucairol::Reply{Clock{9}}), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(1), 0, CarvalhoRoucairol::Request{Clock{9}}), Reject::not_granted)
      << "#0 has the permission that it asks for";
  EXPECT_EQ(verdict(net.node(0), 1, CarvalhoRoucairol::Request{Clock{9}}), Reject::none);
  net.request(2);
  net.drain();
  net.release(2);
  EXPECT_EQ(verdict(net.node(2), 0, CarvalhoRoucairol::Reply{Clock{9}}), Reject::not_asked);
}

}  // namespace
}  // namespace hapax
