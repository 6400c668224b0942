#include "mutex/ricart_agrawala.h"

#include <gmock/gmock.h>

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;

TEST(RicartAgrawala, AnEntryTakesTwoMessagesForEveryOtherMember) {
  Network<RicartAgrawala> net{10};
  net.request(7);
  net.settle();
  EXPECT_EQ(net.sent(), 18u);
}

TEST(RicartAgrawala, ContendedEntriesTakeTheSame) {
  Network<RicartAgrawala> net{5};
  for (std::uint32_t node = 0; node < 5; ++node) net.request(node);
  net.settle();
  EXPECT_EQ(net.sent(), 5u * 2 * 4);
}

// With multicast: one to ask and N-1 replies to enter, one to answer everybody on leaving.
TEST(RicartAgrawala, WithMulticastItTakesNMessagesToEnterAndOneToLeave) {
  RicartAgrawala node{View{Epoch{1}, 4, NodeId{0}, NodeId{0}, true}};
  Effects<RicartAgrawala::Message> fx;
  for (const std::uint32_t other : {1u, 2u, 3u})
    node.receive(NodeId{other}, RicartAgrawala::Request{Clock{1}}, fx);
  EXPECT_TRUE(fx.sends().empty());
  node.release(fx);
  ASSERT_EQ(fx.sends().size(), 1u);
  EXPECT_EQ(fx.listed(fx.sends()[0]).size(), 3u);
  fx.clear();
  node.request(fx);
  EXPECT_EQ(fx.sends().size(), 1u);
}

TEST(RicartAgrawala, ClientDelayIsTwoMessages) {
  Network<RicartAgrawala> net{5};
  net.request(3);
  EXPECT_EQ(net.ticks_until_inside(3), 2u);
}

TEST(RicartAgrawala, SynchronizationDelayIsOneMessage) {
  Network<RicartAgrawala> net{5};
  net.request(2);
  net.drain();
  net.request(3);
  net.drain();
  net.release(2);
  EXPECT_EQ(net.ticks_until_inside(3), 1u);
}

TEST(RicartAgrawala, AloneItEntersAtOnce) {
  Network<RicartAgrawala> net{1};
  net.request(0);
  EXPECT_EQ(net.phase(0), Phase::inside);
  EXPECT_EQ(net.sent(), 0u);
}

TEST(RicartAgrawala, WhoeverIsInsideDefers) {
  Network<RicartAgrawala> net{2, 0, true};
  net.request(1);
  net.deliver(1, 0);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#0 defers #1: it is inside"});
  EXPECT_TRUE(net.packets().empty());
}

TEST(RicartAgrawala, OfTwoWaitingTheEarlierDefersAndTheLaterReplies) {
  Network<RicartAgrawala> net{3};
  net.request(2);
  net.deliver(2, 1);
  net.request(1);
  net.deliver(1, 2, 1);  // Its request overtakes its reply.
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#2 defers #1: own (1,#2) precedes (2,#1)"});
  net.deliver(2, 0);
  net.deliver(0, 2);
  net.deliver(1, 2);
  EXPECT_EQ(net.phase(2), Phase::inside);
}

TEST(RicartAgrawala, OfEqualClocksTheLowerIdGoesFirst) {
  Network<RicartAgrawala> net{3};
  for (const std::uint32_t node : Order{2, 1, 0}) net.request(node);
  net.deliver(0, 1);
  EXPECT_EQ(net.reasons(),
            std::vector<std::string>{"#1 replies to #0: (1,#0) precedes own (1,#1)"});
  net.settle();
  EXPECT_EQ(net.order(), (Order{0, 1, 2}));
}

TEST(RicartAgrawala, ServesInTheOrderOfTimestamps) {
  Network<RicartAgrawala> net{5, 1, true};
  for (const std::uint32_t node : Order{3, 0, 4, 2}) {
    net.request(node);
    net.drain();
  }
  net.settle();
  EXPECT_EQ(net.order(), (Order{3, 0, 4, 2}));
}

TEST(RicartAgrawala, TheTurnIsTheStampOfTheRequest) {
  Network<RicartAgrawala> net{4};
  net.request(3);
  net.settle();
  net.request(1);
  net.settle();
  EXPECT_EQ(net.entries()[0].fence.turn, turn_of({Clock{1}, NodeId{3}}, 4));
  EXPECT_EQ(net.entries()[1].fence.turn, turn_of({Clock{2}, NodeId{1}}, 4));
}

TEST(RicartAgrawala, ClocksMayStartAhead) {
  Network<RicartAgrawala> net{3};
  net.act(1, [](RicartAgrawala& a, auto&) { a.raise_clock(Clock{101}); });
  net.request(1);
  net.settle();
  EXPECT_EQ(net.entries()[0].fence.turn, turn_of({Clock{102}, NodeId{1}}, 3));
}

TEST(RicartAgrawala, TwoRepliesOfOneMemberDoNotStandForTwoMembers) {
  Network<RicartAgrawala> net{3};
  net.request(0);
  net.deliver(0, 1);
  const RicartAgrawala::Message reply = net.packets().back().message;
  net.deliver(1, 0);
  net.act(0, [&](RicartAgrawala& a, auto& fx) { a.receive(NodeId{1}, reply, fx); });
  EXPECT_EQ(net.reasons(),
            std::vector<std::string>{"#0 ignores a reply of #1: it is late, or came twice"});
  EXPECT_EQ(net.phase(0), Phase::waiting);
}

TEST(RicartAgrawala, AReplyToAnEarlierRequestDoesNotApproveALaterOne) {
  Network<RicartAgrawala> net{2};
  net.request(0);
  net.deliver(0, 1);
  const RicartAgrawala::Message old = net.packets().back().message;
  net.settle();
  net.request(0);
  net.act(0, [&](RicartAgrawala& a, auto& fx) { a.receive(NodeId{1}, old, fx); });
  EXPECT_EQ(net.phase(0), Phase::waiting);
}

// Copies of any message ever delivered, at any time later. What is checked after every step (at
// most one inside, fences grow, nobody rejects) must hold, and everybody must be served.
void run_with_copies(std::uint32_t size, bool held, std::uint64_t seed) {
  Network<RicartAgrawala> net{size, 0, held};
  std::vector<Network<RicartAgrawala>::Packet> delivered;
  std::vector<std::uint32_t> left(size, 3);
  Prng prng{seed};
  const auto some = [&](std::size_t below) { return static_cast<std::size_t>(prng.below(below)); };
  const auto all_done = [&] {
    for (std::uint32_t node = 0; node < size; ++node) {
      if (left[node] > 0 || net.phase(node) != Phase::idle) return false;
    }
    return true;
  };
  for (int step = 0; !all_done(); ++step) {
    ASSERT_LT(step, 20'000) << "somebody waits for ever\n" << net.states();
    const auto node = static_cast<std::uint32_t>(some(size));
    switch (some(5)) {
      case 0:
        if (net.phase(node) == Phase::inside) net.release(node);
        if (net.phase(node) == Phase::idle && left[node] > 0) {
          --left[node];
          net.request(node);
        }
        break;
      case 1:
        if (!delivered.empty()) {
          const auto copy = delivered[some(delivered.size())];
          net.act(number(copy.to),
                  [&](RicartAgrawala& a, auto& fx) { a.receive(copy.from, copy.message, fx); });
        }
        break;
      default:
        if (!net.packets().empty()) {
          const auto& packet = net.packets()[some(net.packets().size())];
          delivered.push_back(packet);
          net.deliver(number(packet.from), number(packet.to));
        }
    }
  }
  EXPECT_EQ(net.entries().size(), 3 * size);
}

TEST(RicartAgrawala, CopiesOfMessagesOfAnyKindAndAgeDoNoHarm) {
  for (std::uint64_t seed = 0; seed < 150 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed={}", seed));
    run_with_copies(2 + static_cast<std::uint32_t>(seed % 4), seed % 2 == 0, seed);
  }
}

TEST(RicartAgrawala, StartsFromEveryView) {
  testing::expect_starts_from_every_view<RicartAgrawala>();
}

TEST(RicartAgrawala, ServesEveryRequestInEverySchedule) {
  testing::expect_all_served<RicartAgrawala>();
}

TEST(RicartAgrawala, RejectsNothing) {
  Network<RicartAgrawala> net{3};
  EXPECT_EQ(verdict(net.node(0), 1, RicartAgrawala::Reply{Clock{1}}), Reject::none);
  EXPECT_EQ(verdict(net.node(0), 1, RicartAgrawala::Request{Clock{1}}), Reject::none);
}

}  // namespace
}  // namespace hapax
