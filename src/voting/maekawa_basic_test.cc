#include "voting/maekawa_basic.h"

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;

template <class A>
bool all_wait(const Network<A>& net, const Order& nodes) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](std::uint32_t node) { return net.phase(node) == Phase::waiting; });
}

TEST(MaekawaBasic, AnEntryTakesThreeMessagesForEveryOtherVoter) {
  const VotingSets plane = *VotingSets::lecture(7);
  Network<MaekawaBasic> net{7, 0, false, {&plane}};
  net.request(4);
  net.settle();
  EXPECT_EQ(net.sent(), 6u);
  Network<MaekawaBasic> by_default{9};
  by_default.request(4);
  by_default.settle();
  EXPECT_EQ(by_default.sent(), 12u) << "the grid of nine: K = 5";
}

TEST(MaekawaBasic, ClientDelayIsTwoMessages) {
  Network<MaekawaBasic> net{9};
  net.request(3);
  EXPECT_EQ(net.ticks_until_inside(3), 2u);
}

TEST(MaekawaBasic, SynchronizationDelayIsTwoMessages) {
  const VotingSets plane = *VotingSets::lecture(7);
  Network<MaekawaBasic> net{7, 0, false, {&plane}};
  net.request(0);
  net.drain();
  net.request(4);  // {1,2,3} and {2,5,7} on the blackboard: 2 decides, a third.
  net.drain();
  net.release(0);
  EXPECT_EQ(net.ticks_until_inside(4), 2u);
}

TEST(MaekawaBasic, AVoterVotesForOneAtATimeInTheOrderOfArrival) {
  const VotingSets sets = *VotingSets::parse("1: 4\n2: 4\n3: 4\n4: 4\n");
  Network<MaekawaBasic> net{4, 0, false, {&sets}};
  for (const std::uint32_t node : Order{0, 1, 2}) net.request(node);
  for (const std::uint32_t node : Order{2, 0, 1}) net.deliver(node, 3);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#3 queues #1: it has voted for #2"});
  net.settle();
  EXPECT_EQ(net.order(), (Order{2, 0, 1}));
}

TEST(MaekawaBasic, TheLecturesThreeDeadlock) {
  const VotingSets sets = *VotingSets::lecture(3);
  Network<MaekawaBasic> net{3, 0, false, {&sets}};
  const Order all{0, 1, 2};
  for (const std::uint32_t node : all) net.request(node);
  net.drain();
  EXPECT_TRUE(all_wait(net, all));
  EXPECT_TRUE(net.packets().empty());
}

TEST(MaekawaBasic, TheLecturesGridOfFourDeadlocks) {
  const VotingSets sets = *VotingSets::lecture(4);
  Network<MaekawaBasic> net{4, 0, false, {&sets}};
  const Order all{0, 1, 2, 3};
  for (const std::uint32_t node : all) net.request(node);
  net.drain();
  EXPECT_TRUE(all_wait(net, all));
  EXPECT_TRUE(net.packets().empty());
}

TEST(MaekawaBasic, TwoThatShareTwoVotersAreEnoughToDeadlock) {
  const VotingSets sets = *VotingSets::lecture(4);
  Network<MaekawaBasic> net{4, 0, false, {&sets}};
  net.request(0);
  net.request(1);
  net.drain();
  EXPECT_TRUE(all_wait(net, {0, 1}));
}

// Whatever the schedule: either everybody is served or it ends in a deadlock, and both happen. At
// most one is ever inside, and fences grow; the network checks that after every step.
TEST(MaekawaBasic, IsSafeEvenWhereItDeadlocks) {
  const VotingSets sets = *VotingSets::lecture(3);
  int served = 0;
  int dead = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Network<MaekawaBasic> net{3, 0, false, {&sets}};
    Prng prng{seed};
    Order to_ask{0, 1, 2};
    while (true) {
      const std::size_t packets = net.packets().size();
      const std::size_t choices = packets + to_ask.size() + (net.inside() ? 1 : 0);
      if (choices == 0) break;
      const auto choice = static_cast<std::size_t>(prng.below(choices));
      if (choice < packets) {
        const auto& packet = net.packets()[choice];
        net.deliver(number(packet.from), number(packet.to));
      } else if (choice < packets + to_ask.size()) {
        const auto asker = to_ask.begin() + static_cast<std::ptrdiff_t>(choice - packets);
        net.request(*asker);
        to_ask.erase(asker);
      } else {
        net.release(number(*net.inside()));
      }
    }
    const bool all_served = net.entries().size() == 3;
    EXPECT_EQ(all_served, !all_wait(net, {0, 1, 2}) && net.phase(0) == Phase::idle &&
                              net.phase(1) == Phase::idle && net.phase(2) == Phase::idle);
    ++(all_served ? served : dead);
  }
  EXPECT_GT(served, 0);
  EXPECT_GT(dead, 0);
}

TEST(MaekawaBasic, OneAtATimeIsAlwaysServedAndTurnsGrow) {
  Network<MaekawaBasic> net{10};
  for (std::uint32_t i = 0; i < 30; ++i) {
    net.request(i * 7 % 10);
    net.settle();
    EXPECT_EQ(net.entries().back().fence.turn, Turn{i + 1});
  }
}

TEST(MaekawaBasic, StartsFromEveryView) { testing::expect_starts_from_every_view<MaekawaBasic>(); }

TEST(MaekawaBasic, RefusesWhatTheProtocolForbids) {
  Network<MaekawaBasic> net{4};
  EXPECT_EQ(verdict(net.node(0), 1, MaekawaBasic::Reply{Turn{9}}), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(0), 1, MaekawaBasic::Release{Turn{9}}), Reject::not_granted);
  net.request(0);
  EXPECT_EQ(verdict(net.node(0), 3, MaekawaBasic::Reply{Turn{9}}), Reject::not_asked)
      << "it is in another row and column";
  EXPECT_EQ(verdict(net.node(0), 1, MaekawaBasic::Reply{Turn{9}}), Reject::none);
  net.deliver(0, 1);
  net.deliver(1, 0);
  EXPECT_EQ(verdict(net.node(0), 1, MaekawaBasic::Reply{Turn{9}}), Reject::not_asked) << "twice";
  EXPECT_EQ(verdict(net.node(1), 2, MaekawaBasic::Release{Turn{9}}), Reject::not_granted);
}

}  // namespace
}  // namespace hapax
