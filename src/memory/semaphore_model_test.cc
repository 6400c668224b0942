#include "memory/semaphore_model.h"

#include <gtest/gtest.h>
#include <tuple>

#include "memory/explorer_testing.h"
#include "memory/liveness_testing.h"
#include "memory/memory_model.h"

namespace hapax::testing {
namespace {

TEST(SemaphoreModel, ExclusionAndNoDeadlockForEver) {
  const auto two = explore<SemaphoreModel>({.size = 2, .entries = kForever});
  EXPECT_EQ(nearest_with_two_inside(two), std::nullopt);
  EXPECT_EQ(dead_ends(two), 0u);
  EXPECT_FALSE(can_livelock(two));
  EXPECT_EQ(two.size(), 21u);

  const auto three = explore<SemaphoreModel>({.size = 3, .entries = kForever});
  EXPECT_EQ(nearest_with_two_inside(three), std::nullopt);
  EXPECT_EQ(dead_ends(three), 0u);
  EXPECT_FALSE(can_livelock(three));
  EXPECT_EQ(three.size(), 81u);
}

TEST(SemaphoreModel, LetsAsManyInAsItCounts) {
  const auto graph = Explorer<SemaphoreModel>::explore(SemaphoreModel{4, 2}, {.entries = 1});
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    most = std::max(most, how_many(graph.model(i), Phase::inside));
  }
  EXPECT_EQ(most, 2u);
  EXPECT_EQ(dead_ends(graph), 0u);
  EXPECT_EQ(graph.size(), 2'050u);
}

TEST(SemaphoreModel, CountZeroLetsNobodyIn) {
  const auto graph = Explorer<SemaphoreModel>::explore(SemaphoreModel{2, 0}, {.entries = 1});
  EXPECT_EQ(nearest(graph, [](const auto& m) { return how_many(m, Phase::inside) > 0; }),
            std::nullopt);
  EXPECT_EQ(dead_ends(graph), 1u);
}

TEST(SemaphoreModel, AProcessMayStarve) {
  EXPECT_TRUE(can_starve(explore<SemaphoreModel>({.size = 2, .entries = kForever}), NodeId{0}));
}

TEST(SemaphoreModel, ATryNeverBreaksExclusionNorWaits) {
  const auto graph = explore<SemaphoreModel>({.size = 3, .entries = kForever, .tries = true});
  EXPECT_EQ(nearest_with_two_inside(graph), std::nullopt);
  EXPECT_FALSE(can_livelock(graph));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    SemaphoreModel model = graph.model(i);
    if (!std::get<1>(fields(model))[0].trying) continue;
    for (int steps = 0; model.phase(NodeId{0}) == Phase::waiting; ++steps) {
      ASSERT_LT(steps, 2 + 1);  // Read, a failed exchange, the exchange again or the end.
      model.step(NodeId{0});
    }
  }
  EXPECT_EQ(graph.size(), 275u);
}

// The lecture's "atomic" taken away: P reads the count and writes it back as two separate steps.
class PlainDecrement : public SemaphoreModel {
 public:
  using SemaphoreModel::SemaphoreModel;
  void step(NodeId process) {
    const auto [count, locals] = fields(static_cast<SemaphoreModel&>(*this));
    if (locals[number(process)].line == SemaphoreModel::Line::exchange)
      count = locals[number(process)].seen;
    SemaphoreModel::step(process);
  }
};

TEST(SemaphoreMutant, WithoutAnAtomicDecrementTwoAreInside) {
  EXPECT_EQ(nearest_with_two_inside(explore<PlainDecrement>({.size = 2})), 6u);
}

}  // namespace
}  // namespace hapax::testing
