// Every order of deliveries, crashes, suspicions, returns, cuts and mended links, for a few
// members: whenever nothing is left to happen, all live members that reach each other follow the
// highest of them. Where the orders are too many, some thousands of them, drawn from seeds.
#include <gtest/gtest.h>

#include "election/catalog.h"
#include "election/testing/small_world.h"

namespace hapax {
namespace {

template <class A>
class EveryOrder : public testing::Test {
 public:
  using World = SmallWorld<A>;
  using Faults = typename World::Faults;

  static World world_of(std::uint32_t size, std::uint32_t starters, Faults faults, bool story) {
    World world{size, {}, faults};
    if (story) world.keep_story();
    for (std::uint32_t i = 0; i < size; ++i) {
      if ((starters >> i & 1) != 0) world.campaign(i);
    }
    return world;
  }

  // With every set of starters but the empty one.
  static void explore(std::uint32_t size, Faults faults) {
    for (std::uint32_t starters = 1; starters < (1U << size); ++starters) {
      auto search = World::explore(world_of(size, starters, faults, false));
      if (!search.failure.empty()) {
        search = World::explore(world_of(size, starters, faults, true));
      }
      ASSERT_EQ(search.failure, "") << A::kInfo.name << ", starters " << starters;
      ASSERT_GT(search.ends, 0U);
      ASSERT_GT(search.states, search.ends);
    }
  }

  static void walk(std::uint32_t size, Faults faults, std::uint64_t seeds) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const auto starters = static_cast<std::uint32_t>(seed % ((1U << size) - 1) + 1);
      const std::string wrong = World::walk(world_of(size, starters, faults, false), seed);
      if (wrong.empty()) continue;
      FAIL() << A::kInfo.name << ", seed " << seed << ": "
             << World::walk(world_of(size, starters, faults, true), seed);
    }
  }
};

using Algorithms = testing::Types<Bully, RingElection, ChangRoberts>;
TYPED_TEST_SUITE(EveryOrder, Algorithms);

TYPED_TEST(EveryOrder, OfThree) { this->explore(3, {}); }
TYPED_TEST(EveryOrder, OfFour) { this->explore(4, {}); }
TYPED_TEST(EveryOrder, OfThreeWithACrashAtAnyStep) { this->explore(3, {.crashes = 1}); }
TYPED_TEST(EveryOrder, OfThreeWithTwoCrashes) { this->explore(3, {.crashes = 2}); }
TYPED_TEST(EveryOrder, OfThreeWithACut) { this->explore(3, {.cuts = 1}); }
TYPED_TEST(EveryOrder, OfThreeWithACutAndACrash) { this->explore(3, {.crashes = 1, .cuts = 1}); }
TYPED_TEST(EveryOrder, OfThreeWithACutThatHeals) { this->explore(3, {.cuts = 1, .heals = 1}); }
TYPED_TEST(EveryOrder, OfThreeWithACrashAndAReturn) {
  this->explore(3, {.crashes = 1, .returns = 1});
}

TYPED_TEST(EveryOrder, OfFourWithACrashAndAReturnBySeed) {
  this->walk(4, {.crashes = 1, .returns = 1}, 3000);
}
TYPED_TEST(EveryOrder, OfFourWithACutThatHealsBySeed) {
  this->walk(4, {.cuts = 1, .heals = 1}, 3000);
}
TYPED_TEST(EveryOrder, OfFiveWithEverythingBySeed) {
  this->walk(5, {.crashes = 3, .returns = 2, .cuts = 2, .heals = 2}, 2000);
}
TYPED_TEST(EveryOrder, EvenIfMessagesOvertakeOneAnother) {
  this->explore(3, {.crashes = 1, .unordered = true});
  this->walk(4, {.crashes = 2, .returns = 2, .cuts = 1, .heals = 1, .unordered = true}, 2000);
}

// A search that never fails proves nothing.
struct DeafToFalls : Bully {
  using Bully::Bully;
  void suspect(NodeId, Effects<Message>&) {}
};
struct BlindToReturns : RingElection {
  using RingElection::RingElection;
  void restore(NodeId, Effects<Message>&) {}
};
struct KeepsTheNews : ChangRoberts {
  using ChangRoberts::ChangRoberts;
  void receive(NodeId from, const Message& message, Effects<Message>& fx) {
    ChangRoberts::receive(from, message, fx);
    if (std::holds_alternative<Coordinator>(message)) fx.clear();
  }
};
template <class A>
std::string first_failure(typename SmallWorld<A>::Faults faults) {
  SmallWorld<A> world{3, {}, faults};
  world.campaign(0);
  return SmallWorld<A>::explore(std::move(world)).failure;
}
TEST(EveryOrderOfMutants, IsFoundToFail) {
  EXPECT_NE(first_failure<DeafToFalls>({.crashes = 1}), "");
  EXPECT_NE(first_failure<BlindToReturns>({.crashes = 1, .returns = 1}), "");
  EXPECT_NE(first_failure<KeepsTheNews>({}), "");
}

}  // namespace
}  // namespace hapax
