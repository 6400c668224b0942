#include "mutex/lamport.h"

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;

TEST(Lamport, AnEntryTakesThreeMessagesForEveryOtherMember) {
  Network<Lamport> net{10};
  net.request(7);
  net.settle();
  EXPECT_EQ(net.sent(), 27u);
}

TEST(Lamport, ContendedEntriesTakeTheSame) {
  Network<Lamport> net{5};
  for (std::uint32_t node = 0; node < 5; ++node) net.request(node);
  net.settle();
  EXPECT_EQ(net.sent(), 5u * 3 * 4);
}

TEST(Lamport, ClientDelayIsTwoMessages) {
  Network<Lamport> net{5};
  net.request(3);
  EXPECT_EQ(net.ticks_until_inside(3), 2u);
}

TEST(Lamport, SynchronizationDelayIsOneMessage) {
  Network<Lamport> net{5};
  net.request(2);
  net.drain();
  net.request(3);
  net.drain();
  net.release(2);
  EXPECT_EQ(net.ticks_until_inside(3), 1u);
}

TEST(Lamport, EverybodyKeepsTheSameQueue) {
  Network<Lamport> net{4, 3, true};
  for (const std::uint32_t node : Order{2, 0, 1}) {
    net.request(node);
    net.drain();
  }
  const auto queue_of = [&](std::uint32_t node) {
    const std::string text = to_text(net.node(node));
    return text.substr(text.find("queue="));
  };
  EXPECT_EQ(queue_of(0).find("queue=[(0,#3),"), 0u) << queue_of(0);
  for (const std::uint32_t node : Order{1, 2, 3}) EXPECT_EQ(queue_of(node), queue_of(0));
  net.settle();
  EXPECT_EQ(net.order(), (Order{2, 0, 1}));
  for (const std::uint32_t node : Order{0, 1, 2, 3}) EXPECT_EQ(queue_of(node), "queue=[])");
}

TEST(Lamport, OfEqualClocksTheLowerIdGoesFirst) {
  Network<Lamport> net{3};
  for (const std::uint32_t node : Order{2, 1, 0}) net.request(node);
  net.settle();
  EXPECT_EQ(net.order(), (Order{0, 1, 2}));
}

TEST(Lamport, FirstInTheQueueIsNotEnoughWhileSomebodyIsSilent) {
  Network<Lamport> net{3};
  net.request(0);
  net.deliver(0, 1);
  net.deliver(1, 0);
  EXPECT_EQ(net.phase(0), Phase::waiting);
  net.deliver(0, 2);
  net.deliver(2, 0);
  EXPECT_EQ(net.phase(0), Phase::inside);
}

// Condition L1 asks for any later message, not for a reply.
TEST(Lamport, ALaterRequestIsAsGoodAsAReply) {
  Network<Lamport> net{2};
  net.request(0);
  net.request(1);
  net.deliver(1, 0);
  EXPECT_EQ(net.phase(0), Phase::inside) << "(1,#1) comes after (1,#0)";
  net.deliver(0, 1);
  EXPECT_EQ(net.phase(1), Phase::waiting) << "(1,#0) comes before (1,#1)";
}

TEST(Lamport, EverybodyRepliesAtOnceEvenFromInside) {
  Network<Lamport> net{2, 0, true};
  net.request(1);
  net.deliver(1, 0);
  ASSERT_EQ(net.packets().size(), 1u);
  EXPECT_EQ(net.packets()[0].message.index(), 1u) << to_text(net.packets()[0].message);
  net.deliver(0, 1);
  EXPECT_EQ(net.phase(1), Phase::waiting);
  net.release(0);
  net.drain();
  EXPECT_EQ(net.phase(1), Phase::inside);
}

TEST(Lamport, TheTurnIsTheStampOfTheRequest) {
  Network<Lamport> net{4};
  net.request(3);
  net.settle();
  EXPECT_EQ(net.entries()[0].fence.turn, turn_of({Clock{1}, NodeId{3}}, 4));
}

TEST(Lamport, StartsFromEveryView) { testing::expect_starts_from_every_view<Lamport>(); }

TEST(Lamport, ServesEveryRequestInEverySchedule) { testing::expect_all_served<Lamport>(); }

TEST(Lamport, RefusesAReleaseOfWhatWasNotAskedFor) {
  Network<Lamport> net{3};
  EXPECT_EQ(verdict(net.node(0), 1, Lamport::Release{Clock{9}}), Reject::not_granted);
  net.request(1);
  net.drain();
  EXPECT_EQ(verdict(net.node(0), 1, Lamport::Release{Clock{9}}), Reject::none);
}

}  // namespace
}  // namespace hapax
