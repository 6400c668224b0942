#include "mutex/semaphore_ra.h"

#include <gmock/gmock.h>

#include "mutex/ricart_agrawala.h"
#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;
using Options = SemaphoreRa::Options;
using Semaphores = Network<SemaphoreRa>;

Semaphores network(std::uint32_t size, const Options& options) {
  return Semaphores{size, 0, false, options};
}
std::uint32_t used(const Semaphores& net, std::uint32_t node) {
  return net.node(node).holding().units;
}

TEST(SemaphoreRa, AnEntryTakesTwoMessagesForEveryOtherMember) {
  auto net = network(10, {.units = 3});
  net.request(7);
  net.drain();
  EXPECT_EQ(used(net, 7), 1u);
  net.release(7);
  net.drain();
  EXPECT_EQ(net.sent(), 18u);
}

TEST(SemaphoreRa, AsManyAreInsideAsThereAreUnits) {
  auto net = network(5, {.units = 3});
  for (std::uint32_t node = 0; node < 5; ++node) net.request(node);
  net.drain();
  std::uint32_t inside = 0;
  for (std::uint32_t node = 0; node < 5; ++node) inside += used(net, node);
  EXPECT_EQ(inside, 3u);
  net.settle();
  EXPECT_EQ(net.entries().size(), 5u);
}

TEST(SemaphoreRa, AMemberMayUseSeveralUnits) {
  auto net = network(3, {.units = 3});
  for (int i = 0; i < 3; ++i) {
    net.request(1);
    net.drain();
  }
  EXPECT_EQ(used(net, 1), 3u);
  EXPECT_FALSE(net.node(1).may_request());
  net.request(2);
  net.drain();
  EXPECT_EQ(used(net, 2), 0u);
  net.release(1);
  net.drain();
  EXPECT_EQ(used(net, 2), 1u);
  EXPECT_EQ(used(net, 1), 2u);
}

// Raymond's rule: with one unit per member, N-k replies are enough.
TEST(SemaphoreRa, WithOneUnitAMemberEntersWithNMinusKReplies) {
  auto net = network(5, {.units = 2, .per_member = 1});
  net.request(0);
  for (const std::uint32_t other : {1u, 2u, 3u, 4u}) net.deliver(0, other);
  for (const std::uint32_t other : {1u, 2u}) net.deliver(other, 0);
  EXPECT_EQ(net.phase(0), Phase::waiting);
  net.deliver(3, 0);
  EXPECT_EQ(net.phase(0), Phase::inside) << "3 of 4 replies, for N-k = 3";
}

TEST(SemaphoreRa, AMemberThatUsesAllItMayKeepsSilent) {
  Semaphores net{2, 0, true, {.units = 2, .per_member = 1}};
  net.request(1);
  net.deliver(1, 0);
  EXPECT_EQ(net.reasons(),
            std::vector<std::string>{"#0 defers #1: it uses, or asked earlier for, all 1 it may"});
  EXPECT_TRUE(net.packets().empty());
  EXPECT_EQ(net.phase(1), Phase::inside) << "it is one of two";
}

TEST(SemaphoreRa, SaysAgainWhenItUsesFewer) {
  auto net = network(2, {.units = 2});
  net.request(0);
  net.drain();
  net.request(0);
  net.drain();
  net.request(1);
  net.drain();
  EXPECT_EQ(net.phase(1), Phase::waiting);
  net.forget_sent();
  net.release(0);
  EXPECT_EQ(net.sent(), 1u);
  net.drain();
  EXPECT_EQ(net.phase(1), Phase::inside);
}

// A member's own release is news to itself.
TEST(SemaphoreRa, GivingAUnitBackLetsTheSameMemberDrawTheNext) {
  auto net = network(2, {.units = 2});
  net.request(0);
  net.drain();
  net.request(1);
  net.drain();
  net.request(0);
  net.drain();
  EXPECT_EQ(net.phase(0), Phase::waiting);
  net.release(0);
  EXPECT_EQ(used(net, 0), 1u);
  EXPECT_EQ(net.phase(0), Phase::inside);
  EXPECT_EQ(net.entries().size(), 3u);
}

// The reply to an earlier request says nothing about a later one, between which and it the sender's
// own may lie.
TEST(SemaphoreRa, NewsWhileWaitingIsOnlyAboutTheRequestThatWasSeen) {
  SemaphoreRa node{View{Epoch{1}, 3, NodeId{0}, NodeId{0}, true}, {.units = 3}};
  Effects<SemaphoreRa::Message> fx;
  node.receive(NodeId{1}, SemaphoreRa::Request{Clock{1}}, fx);
  fx.clear();
  node.request(fx);
  fx.clear();
  node.receive(NodeId{2}, SemaphoreRa::Request{Clock{9}}, fx);
  fx.clear();
  node.release(fx);
  ASSERT_EQ(fx.sends().size(), 2u);
  EXPECT_EQ(std::get<SemaphoreRa::Reply>(fx.sends()[0].message), (SemaphoreRa::Reply{Clock{1}, 0}));
  EXPECT_EQ(std::get<SemaphoreRa::Reply>(fx.sends()[1].message), (SemaphoreRa::Reply{Clock{9}, 1}));
}

TEST(SemaphoreRa, StartsFromASetOfHolders) {
  SemaphoreRa node{
      View{Epoch{1}, 3, NodeId{0}, NodeId{0}, false}, {.units = 3}, Holding{Mode::shared, 2}};
  EXPECT_EQ(node.holding().units, 2u);
  Effects<SemaphoreRa::Message> fx;
  node.receive(NodeId{1}, SemaphoreRa::Request{Clock{1}}, fx);
  ASSERT_EQ(fx.sends().size(), 1u);
  EXPECT_EQ(std::get<SemaphoreRa::Reply>(fx.sends()[0].message), (SemaphoreRa::Reply{Clock{1}, 2}));
}

// The same steps at both: requests, exits and deliveries, each message of one like that of the
// other.
void expect_equal_to_ricart_agrawala(std::uint64_t seed, Channels channels) {
  SCOPED_TRACE(seed);
  Semaphores ours{4};
  Network<RicartAgrawala> theirs{4};
  ours.run_random(seed, 4, channels);
  theirs.run_random(seed, 4, channels);
  ASSERT_EQ(ours.entries().size(), theirs.entries().size());
  for (std::size_t i = 0; i < ours.entries().size(); ++i) {
    EXPECT_EQ(ours.entries()[i].node, theirs.entries()[i].node);
    EXPECT_EQ(ours.entries()[i].fence, theirs.entries()[i].fence);
  }
  EXPECT_EQ(ours.sent(), theirs.sent());
}

TEST(SemaphoreRa, WithOneUnitIsRicartAgrawala) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    expect_equal_to_ricart_agrawala(seed, Channels::unordered);
    expect_equal_to_ricart_agrawala(seed, Channels::fifo);
  }
}

// Raymond's algorithm as he wrote it, to compare ours with: count the replies, enter with N-k.
// REQUIRES: channels are FIFO, each member asks again only when all have replied.
TEST(SemaphoreRa, WithOneUnitAMemberTakesRaymondsMessages) {
  for (std::uint32_t k = 1; k <= 4; ++k) {
    auto net = network(5, {.units = k, .per_member = 1});
    for (int round = 0; round < 3; ++round) {
      for (std::uint32_t node = 0; node < 5; ++node) net.request(node);
      net.settle();
    }
    EXPECT_EQ(net.entries().size(), 15u);
    EXPECT_EQ(net.sent(), 15u * 2 * 4) << "2(N-1) an entry, however many are inside";
  }
}

// Members draw and give back units at random, several at a time.
void play_at_random(std::uint64_t seed, const Options& options) {
  SCOPED_TRACE(fmt::format("seed={} k={} each={}", seed, options.units, options.per_member));
  Prng prng{seed};
  const auto size = static_cast<std::uint32_t>(2 + seed % 3);
  auto net = network(size, options);
  std::vector<std::uint32_t> left(size, 5);
  for (int step = 0;; ++step) {
    ASSERT_LT(step, 20'000) << net.states();
    const auto node = static_cast<std::uint32_t>(prng.below(size));
    const std::uint64_t what = prng.below(4);
    if (what == 0 && left[node] > 0 && net.node(node).may_request()) {
      --left[node];
      net.request(node);
    } else if (what == 1 && used(net, node) > 0) {
      net.release(node);
    } else if (!net.packets().empty()) {
      const auto& packet = net.packets()[prng.below(net.packets().size())];
      net.deliver(number(packet.from), number(packet.to));
    }
    bool done = net.packets().empty();
    for (std::uint32_t i = 0; i < size; ++i) {
      done = done && left[i] == 0 && net.phase(i) == Phase::idle;
    }
    if (done) break;
  }
  EXPECT_EQ(net.entries().size(), 5 * size);
  for (std::uint32_t i = 0; i < size; ++i) {
    SemaphoreRa fresh{net.view(i), options};
    fresh.raise_clock(net.node(i).clock());
    EXPECT_TRUE(fresh == net.node(i)) << "like new but for its clock: " << net.states();
  }
}

TEST(SemaphoreRa, ServesEveryRequestInEverySchedule) {
  for (std::uint64_t seed = 0; seed < 300 && !::testing::Test::HasFailure(); ++seed) {
    const auto units = static_cast<std::uint32_t>(1 + seed % 4);
    play_at_random(seed, {.units = units, .per_member = static_cast<std::uint32_t>(seed % 5)});
  }
}

TEST(SemaphoreRa, StartsFromEveryView) { testing::expect_starts_from_every_view<SemaphoreRa>(); }

TEST(SemaphoreRa, RejectsAClockThatNobodyCanHave) {
  auto net = network(3, {.units = 2});
  const Clock absurd{std::uint64_t{1} << 62};
  EXPECT_EQ(verdict(net.node(0), 1, SemaphoreRa::Request{absurd}), Reject::absurd_clock);
  EXPECT_EQ(verdict(net.node(0), 1, SemaphoreRa::Reply{absurd, 0}), Reject::absurd_clock);
}

TEST(SemaphoreRa, WhoSaysThatItUsesMoreThanItMayIsTakenForSilent) {
  auto net = network(2, {.units = 2, .per_member = 1});
  net.request(0);
  EXPECT_EQ(net.phase(0), Phase::inside) << "the other uses one of two at most";
  auto one = network(2, {.units = 1});
  one.request(0);
  one.act(0, [](SemaphoreRa& a, auto& fx) {
    a.receive(NodeId{1}, SemaphoreRa::Reply{Clock{1}, ~std::uint32_t{0}}, fx);
  });
  EXPECT_EQ(one.phase(0), Phase::waiting);
}

}  // namespace
}  // namespace hapax
