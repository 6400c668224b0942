// An idle member's clock, or its counter of turns, may be raised at any time: exclusion holds and
// fences go on growing. A node relies on it when it forgets an instance that is otherwise like new.
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/prng.h"
#include "catalog/algorithms.h"
#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;

// Network checks exclusion and fences at every step.
template <class A>
void play(std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("{} seed={}", A::kInfo.name, seed));
  Network<A> net{4, static_cast<std::uint32_t>(seed % 4)};
  net.start();
  Prng prng{seed};
  // What can deadlock is asked by one at a time.
  const auto may_ask = [&] {
    bool quiet = true;
    for (std::uint32_t i = 0; i < 4; ++i) quiet = quiet && net.phase(i) == Phase::idle;
    return quiet || !A::kInfo.can_deadlock;
  };
  for (int step = 0; step < 400; ++step) {
    const auto node = static_cast<std::uint32_t>(prng.below(4));
    const std::uint64_t what = prng.below(10);
    if (what < 5 && !net.packets().empty()) {
      const auto packet = net.packets()[prng.below(net.packets().size())];
      net.deliver(number(packet.from), number(packet.to));
    } else if (net.phase(node) == Phase::inside) {
      net.release(node);
    } else if (net.phase(node) == Phase::idle && what < 8) {
      if (may_ask()) net.request(node);
    } else if (net.phase(node) == Phase::idle) {
      net.act(node, [&](A& a, auto&) { raise_counter(a, counter_of(a) + prng.below(5)); });
    }
  }
  EXPECT_GT(net.entries().size(), 3u);
}

TEST(Counters, MayBeRaisedWhileIdle) {
  for_each_mutex([]<class A>() {
    for (std::uint64_t seed = 1; seed <= 100 && !::testing::Test::HasFailure(); ++seed) {
      play<A>(seed);
    }
  });
}

TEST(Counters, NeverFallAndOnlyCountWhereTheyMean) {
  for_each_mutex([]<class A>() {
    SCOPED_TRACE(A::kInfo.name);
    const View at_home{Epoch{1}, 3, NodeId{1}, NodeId{1}, false};
    A home{at_home};
    EXPECT_EQ(counter_of(home), 0u);
    raise_counter(home, 7);
    raise_counter(home, 5);
    EXPECT_EQ(counter_of(home), 7u);
    EXPECT_EQ(home.phase(), Phase::idle);
    // Elsewhere a token or a coordinator's desk has nothing to count.
    const View elsewhere{Epoch{1}, 3, NodeId{2}, NodeId{1}, false};
    A other{elsewhere};
    raise_counter(other, 7);
    const bool counts_here = A::kInfo.kind != "token" && A::kInfo.name != "central";
    EXPECT_EQ(counter_of(other), counts_here ? 7u : 0u);
    EXPECT_EQ(other == A{elsewhere}, !counts_here);
  });
}

}  // namespace
}  // namespace hapax
