#include "mutex/naimi_trehel.h"

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;

TEST(NaimiTrehel, WhoeverHasTheTokenEntersForNothing) {
  Network<NaimiTrehel> net{7, 5};
  for (int i = 0; i < 3; ++i) {
    net.request(5);
    net.release(5);
  }
  EXPECT_EQ(net.entries().size(), 3u);
  EXPECT_EQ(net.sent(), 0u);
}

TEST(NaimiTrehel, TheFirstEntryTakesTwoMessages) {
  Network<NaimiTrehel> net{10};
  net.request(7);
  EXPECT_EQ(net.ticks_until_inside(7), 2u);
  EXPECT_EQ(net.sent(), 2u);
}

// Each of #1 … #5 becomes the father of the one before it. When #0 has asked as well, the way from
// #1 is the whole chain.
TEST(NaimiTrehel, TheWorstCaseTakesNMessages) {
  Network<NaimiTrehel> net{6, 0, true};
  for (std::uint32_t node = 1; node < 6; ++node) {
    net.request(node);
    net.drain();
  }
  net.settle();
  net.forget_sent();
  net.request(0);
  net.settle();
  EXPECT_EQ(net.sent(), 2u) << "#0 knows the last one";
  net.forget_sent();
  net.request(1);
  net.settle();
  EXPECT_EQ(net.sent(), 6u) << "#1 -> #2 -> #3 -> #4 -> #5 -> #0, and the token";
}

TEST(NaimiTrehel, MeanMessagesAreTheHarmonicNumber) {
  constexpr std::uint32_t kMembers = 10;
  constexpr std::uint32_t kEntries = 5'000;
  double harmonic = 0;
  for (std::uint32_t i = 1; i < kMembers; ++i) harmonic += 1.0 / i;
  Network<NaimiTrehel> net{kMembers};
  Prng prng{1987};
  for (std::uint32_t i = 0; i < kEntries; ++i) {
    net.request(static_cast<std::uint32_t>(prng.below(kMembers)));
    net.settle();
  }
  EXPECT_NEAR(static_cast<double>(net.sent()) / kEntries, harmonic, 0.05);
}

TEST(NaimiTrehel, SynchronizationDelayIsOneMessage) {
  Network<NaimiTrehel> net{5, 2, true};
  net.request(3);
  net.request(4);
  net.drain();
  net.release(2);
  EXPECT_EQ(net.ticks_until_inside(3), 1u);
  net.release(3);
  EXPECT_EQ(net.ticks_until_inside(4), 1u);
}

TEST(NaimiTrehel, ServesInTheOrderInWhichRequestsReachTheRoot) {
  Network<NaimiTrehel> net{4, 0, true};
  for (const std::uint32_t node : Order{1, 2, 3}) net.request(node);
  net.deliver(3, 0);
  net.deliver(1, 0);
  net.deliver(0, 3);
  net.deliver(2, 0);
  net.deliver(0, 1);
  EXPECT_TRUE(net.packets().empty());
  net.settle();
  EXPECT_EQ(net.order(), (Order{3, 1, 2}));
}

TEST(NaimiTrehel, StartsFromEveryView) { testing::expect_starts_from_every_view<NaimiTrehel>(); }

TEST(NaimiTrehel, ServesEveryRequestInEverySchedule) { testing::expect_all_served<NaimiTrehel>(); }

TEST(NaimiTrehel, RefusesWhatTheProtocolForbids) {
  Network<NaimiTrehel> net{3};
  const NaimiTrehel::Token token{Turn{5}};
  EXPECT_EQ(verdict(net.node(0), 1, token), Reject::second_token);
  EXPECT_EQ(verdict(net.node(1), 0, token), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(0), 1, NaimiTrehel::Request{NodeId{3}}), Reject::not_a_member);
  EXPECT_EQ(verdict(net.node(0), 1, NaimiTrehel::Request{NodeId{0}}), Reject::not_a_member);
  net.request(1);
  EXPECT_EQ(verdict(net.node(1), 0, token), Reject::none);
}

}  // namespace
}  // namespace hapax
