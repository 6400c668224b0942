#include "mutex/suzuki_kasami.h"

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;
using Token = SuzukiKasami::Token;
using Privilege = SuzukiKasami::Privilege;

TEST(SuzukiKasami, AnEntryTakesNMessages) {
  Network<SuzukiKasami> net{10};
  net.request(7);
  net.settle();
  EXPECT_EQ(net.sent(), 10u);
}

TEST(SuzukiKasami, WhoeverHasTheTokenEntersAgainForNothing) {
  Network<SuzukiKasami> net{10};
  net.request(7);
  net.settle();
  net.forget_sent();
  for (int i = 0; i < 5; ++i) {
    net.request(7);
    net.release(7);
  }
  EXPECT_EQ(net.entries().size(), 6u);
  EXPECT_EQ(net.sent(), 0u);
}

TEST(SuzukiKasami, ClientDelayIsTwoMessages) {
  Network<SuzukiKasami> net{5};
  net.request(3);
  EXPECT_EQ(net.ticks_until_inside(3), 2u);
}

TEST(SuzukiKasami, SynchronizationDelayIsOneMessage) {
  Network<SuzukiKasami> net{5, 2, true};
  net.request(3);
  net.drain();
  net.release(2);
  EXPECT_EQ(net.ticks_until_inside(3), 1u);
}

// Requests that come while the token is in use join its queue in id order; later ones go behind.
TEST(SuzukiKasami, WhoeverIsInTheQueueIsServedBeforeWhoeverAsksLater) {
  Network<SuzukiKasami> net{4, 0, true};
  net.request(3);
  net.request(2);
  net.drain();
  net.release(0);
  net.drain();
  net.request(0);
  net.request(1);
  net.settle();
  EXPECT_EQ(net.order(), (Order{2, 3, 0, 1}));
}

TEST(SuzukiKasami, AnOutdatedRequestDoesNotMoveTheToken) {
  Network<SuzukiKasami> net{3};
  net.request(1);
  net.deliver(1, 0);
  net.deliver(0, 1);
  net.release(1);
  net.request(2);
  net.deliver(2, 1);
  net.deliver(1, 2, 1);  // The token overtakes the first request of #1.
  net.release(2);
  net.deliver(1, 2);
  EXPECT_EQ(net.reasons(),
            std::vector<std::string>{"#2 ignores request 1 of #1: it has been served"});
  net.drain();
  EXPECT_EQ(net.order(), (Order{1, 2}));
}

TEST(SuzukiKasami, ALaterRequestMakesAnEarlierOneOutdated) {
  Network<SuzukiKasami> net{3};
  net.request(1);
  net.deliver(1, 0);
  net.deliver(0, 1);
  net.release(1);
  net.request(0);
  net.deliver(0, 1);
  net.deliver(1, 0);
  net.request(1);
  net.deliver(1, 2, 1);
  net.deliver(1, 2);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#2 ignores request 1 of #1: it is outdated"});
}

TEST(SuzukiKasami, StartsFromEveryView) { testing::expect_starts_from_every_view<SuzukiKasami>(); }

TEST(SuzukiKasami, ServesEveryRequestInEverySchedule) {
  testing::expect_all_served<SuzukiKasami>();
}

TEST(SuzukiKasami, OnlyWhoeverAskedIsRemembered) {
  Network<SuzukiKasami> net{100, 99};
  net.request(42);
  net.settle();
  EXPECT_EQ(to_text(net.node(7)), "SUZUKIKASAMI(phase=idle asked=[#42:1] token=-)");
}

TEST(SuzukiKasami, RefusesWhatTheProtocolForbids) {
  Network<SuzukiKasami> net{3};
  const Token good{Box{Privilege{}}};
  EXPECT_EQ(verdict(net.node(0), 1, good), Reject::second_token);
  EXPECT_EQ(verdict(net.node(1), 0, good), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(0), 1, SuzukiKasami::Request{2}), Reject::not_granted);
  net.request(1);
  EXPECT_EQ(verdict(net.node(1), 0, good), Reject::none);
}

TEST(SuzukiKasami, RefusesATokenThatNoMemberCouldHaveWritten) {
  Network<SuzukiKasami> net{3};
  net.request(1);
  const auto queued = [](std::uint32_t node) {
    Privilege token;
    token.queue.push(NodeId{node});
    return Token{Box{token}};
  };
  const auto served = [](SuzukiKasami::Numbers numbers) {
    return Token{Box{Privilege{std::move(numbers), {}, {}}}};
  };
  EXPECT_EQ(verdict(net.node(1), 0, Token{}), Reject::second_token) << "empty";
  EXPECT_EQ(verdict(net.node(1), 0, queued(1)), Reject::second_token) << "queues its keeper";
  EXPECT_EQ(verdict(net.node(1), 0, queued(3)), Reject::second_token) << "queues no member";
  EXPECT_EQ(verdict(net.node(1), 0, queued(2)), Reject::none);
  EXPECT_EQ(verdict(net.node(1), 0, served({{NodeId{3}, 1}})), Reject::second_token);
  EXPECT_EQ(verdict(net.node(1), 0, served({{NodeId{1}, 1}})), Reject::second_token);
  EXPECT_EQ(verdict(net.node(1), 0, served({{NodeId{2}, 1}, {NodeId{0}, 1}})),
            Reject::second_token);
  EXPECT_EQ(verdict(net.node(1), 0, served({{NodeId{0}, 1}, {NodeId{2}, 1}})), Reject::none);
}

}  // namespace
}  // namespace hapax
