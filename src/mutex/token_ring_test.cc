#include "mutex/token_ring.h"

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;
using Fx = Effects<TokenRing::Message>;

constexpr auto kRegenerate = [](TokenRing& ring, Fx& fx) { ring.regenerate(fx); };

TEST(TokenRing, OneMessageAnEntryWhenAllWantToEnter) {
  Network<TokenRing> net{10};
  for (std::uint32_t node = 0; node < 10; ++node) net.request(node);
  for (std::uint32_t entries = 1; entries <= 50; ++entries) {
    net.drain_until([&] { return net.inside().has_value(); });
    const std::uint32_t node = number(*net.inside());
    net.release(node);
    net.request(node);
  }
  EXPECT_EQ(net.entries().size(), 50u);
  EXPECT_EQ(net.sent(), 50u);
}

TEST(TokenRing, ServesInTheOrderOfTheRing) {
  Network<TokenRing> net{4, 2};
  for (const std::uint32_t node : Order{1, 0, 3}) net.request(node);
  net.start();
  while (net.entries().size() < 3) {
    net.drain_until([&] { return net.inside().has_value(); });
    net.release(number(*net.inside()));
  }
  EXPECT_EQ(net.order(), (Order{3, 0, 1}));
}

TEST(TokenRing, TheTokenMovesAlsoWhenNobodyWantsIt) {
  Network<TokenRing> net{3};
  net.start();
  for (int i = 0; i < 30; ++i) net.tick();
  EXPECT_EQ(net.sent(), 31u);
  EXPECT_TRUE(net.entries().empty());
}

TEST(TokenRing, ClientDelayIsTheWayOfTheTokenToTheAsker) {
  for (std::uint32_t asker = 1; asker < 6; ++asker) {
    Network<TokenRing> net{6};
    net.start();
    net.request(asker);
    EXPECT_EQ(net.ticks_until_inside(asker), asker);
  }
}

TEST(TokenRing, ATokenThatRestsHereLetsInAtOnce) {
  Network<TokenRing> net{3, 1};
  net.request(1);
  EXPECT_EQ(net.order(), Order{1});
  net.start();
  EXPECT_EQ(net.sent(), 0u) << "its keeper is inside";
  net.release(1);
  EXPECT_EQ(net.sent(), 1u);
}

TEST(TokenRing, ARingOfOneEntersAtOnceAndSendsNothing) {
  for (const bool held : {false, true}) {
    Network<TokenRing> net{1, 0, held};
    net.start();
    if (held) net.release(0);
    for (int i = 0; i < 3; ++i) {
      net.request(0);
      net.release(0);
    }
    EXPECT_EQ(net.entries().size(), 3u);
    EXPECT_EQ(net.sent(), 0u);
  }
}

TEST(TokenRing, StartsFromEveryView) { testing::expect_starts_from_every_view<TokenRing>(); }

TEST(TokenRing, ServesEveryRequestInEverySchedule) { testing::expect_all_served<TokenRing>(); }

TEST(TokenRing, ALostTokenIsMadeAgain) {
  Network<TokenRing> net{4};
  net.start();
  net.request(2);
  ASSERT_TRUE(net.drop(0, 1));
  net.act(3, kRegenerate);
  net.drain_until([&] { return net.inside().has_value(); });
  EXPECT_EQ(net.order(), Order{2});
  EXPECT_EQ(net.entries()[0].fence.turn, Turn{(std::uint64_t{1} << 40) + 1});
}

TEST(TokenRing, WhoeverRegeneratesWhileWaitingEnters) {
  Network<TokenRing> net{4};
  net.start();
  net.request(2);
  ASSERT_TRUE(net.drop(0, 1));
  net.act(2, kRegenerate);
  EXPECT_EQ(net.order(), Order{2});
}

// The lecture's ring P1 -> P2 -> P3 -> P4: the token is late, and P1 believes it lost.
TEST(TokenRing, ALateTokenOfAnOlderGenerationIsDiscarded) {
  Network<TokenRing> net{4};
  net.start();
  net.deliver(0, 1);
  net.deliver(1, 2);
  net.act(0, kRegenerate);
  EXPECT_EQ(net.packets().size(), 2u) << "two tokens";
  net.deliver(2, 3);
  net.deliver(3, 0);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{
                               "#0 discards a token of generation 0: it has seen generation 1"});
  EXPECT_EQ(net.packets().size(), 1u) << "one token";
}

// Until it is discarded, a late token lets a second one in. Only the fence tells the two apart.
TEST(TokenRing, TheFenceRefusesTheHolderOfALateToken) {
  const auto view = [](std::uint32_t self) { return View{Epoch{1}, 4, NodeId{self}, NodeId{1}}; };
  TokenRing p1{view(0)};
  TokenRing p4{view(3)};
  Fx fx;
  p1.request(fx);
  p1.regenerate(fx);
  const Fence young{Epoch{1}, fx.entered().value()};
  fx.clear();
  p4.request(fx);
  p4.receive(NodeId{2}, TokenRing::Token{0, Turn{41}}, fx);
  const Fence late{Epoch{1}, fx.entered().value()};
  EXPECT_EQ(p1.phase(), Phase::inside);
  EXPECT_EQ(p4.phase(), Phase::inside);
  FenceGate gate;
  EXPECT_TRUE(gate.admit(young));
  EXPECT_FALSE(gate.admit(late));
}

TEST(TokenRing, ANewerTokenReplacesTheOneInUse) {
  Network<TokenRing> net{3};
  net.request(0);
  net.act(2, kRegenerate);
  net.deliver(2, 0);
  EXPECT_EQ(net.phase(0), Phase::inside);
  EXPECT_TRUE(net.packets().empty());
  net.release(0);
  ASSERT_EQ(net.packets().size(), 1u);
  EXPECT_EQ(std::get<TokenRing::Token>(net.packets()[0].message).generation, 1u);
}

TEST(TokenRing, RefusesWhatTheProtocolForbids) {
  Network<TokenRing> net{4};
  EXPECT_EQ(verdict(net.node(1), 2, TokenRing::Token{}), Reject::not_a_member);
  EXPECT_EQ(verdict(net.node(0), 3, TokenRing::Token{}), Reject::second_token);
  EXPECT_EQ(verdict(net.node(1), 0, TokenRing::Token{1, Turn{7}}), Reject::second_token);
  EXPECT_EQ(verdict(net.node(1), 0, TokenRing::Token{}), Reject::none);
}

TEST(TokenRingDeathTest, RegeneratingATokenThatIsHereIsOurOwnMistake) {
  Network<TokenRing> net{2};
  EXPECT_DEATH(net.act(0, kRegenerate), "has_token_");
}

}  // namespace
}  // namespace hapax
