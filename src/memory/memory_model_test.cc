// What holds for every model of the room.
#include "memory/memory_model.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <vector>

#include "memory/bakery_model.h"
#include "memory/dijkstra_model.h"
#include "memory/explorer_testing.h"
#include "memory/semaphore_model.h"

namespace hapax::testing {
namespace {

template <class Model>
class EveryModel : public ::testing::Test {};
using Models = ::testing::Types<DijkstraModel, BakeryModel, SemaphoreModel>;
TYPED_TEST_SUITE(EveryModel, Models);

TYPED_TEST(EveryModel, IsItsEncoding) {
  const auto graph = explore<TypeParam>({.size = 2, .entries = 1, .tries = true});
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Bytes bytes = encode(graph.model(i));
    Decoder decoder{bytes};
    TypeParam copy{2};
    ASSERT_TRUE(decoder.read(copy) && decoder.at_end());
    ASSERT_EQ(copy, graph.model(i));
    ASSERT_EQ(hash_of(copy), hash_of(graph.model(i)));
  }
}

TYPED_TEST(EveryModel, AStepIsDeterministicAndTouchesNobodyElsesPlace) {
  const auto graph = explore<TypeParam>({.size = 3, .entries = 1});
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (std::uint32_t p = 0; p < 3; ++p) {
      if (!graph.model(i).enabled(NodeId{p})) continue;
      TypeParam once = graph.model(i);
      TypeParam again = graph.model(i);
      once.step(NodeId{p});
      again.step(NodeId{p});
      ASSERT_EQ(once, again);
      for (std::uint32_t q = 0; q < 3; ++q) {
        if (q == p) continue;
        ASSERT_EQ(once.where(NodeId{q}), graph.model(i).where(NodeId{q}));
      }
    }
  }
}

TYPED_TEST(EveryModel, EachProcessSometimesEnters) {
  const auto graph = explore<TypeParam>({.size = 3, .entries = 1});
  for (std::uint32_t p = 0; p < 3; ++p) {
    const auto is_inside = [&](const auto& m) { return m.phase(NodeId{p}) == Phase::inside; };
    EXPECT_TRUE(nearest(graph, is_inside).has_value());
  }
}

TYPED_TEST(EveryModel, AloneItEntersWithoutWaiting) {
  TypeParam model{1};
  for (int round = 0; round < 3; ++round) {
    model.request(NodeId{0});
    while (model.enabled(NodeId{0})) model.step(NodeId{0});
    EXPECT_EQ(model.phase(NodeId{0}), Phase::inside);
    model.release(NodeId{0});
    while (model.enabled(NodeId{0})) model.step(NodeId{0});
    EXPECT_EQ(model, TypeParam{1});
  }
}

template <class Model>
void move(Model& model, NodeId process, bool tries) {
  if (model.enabled(process)) {
    model.step(process);
  } else if (model.phase(process) == Phase::inside) {
    model.release(process);
  } else if (model.phase(process) == Phase::idle) {
    tries ? model.try_request(process) : model.request(process);
  }
}

// Beyond what can be explored: up to eight processes, any schedule; then nobody asks any more, all
// move in turn, and all must come to rest.
TYPED_TEST(EveryModel, KeepsExclusionInAnyScheduleAndComesToRest) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange(1u, 9u);
    const auto schedule = *rc::gen::container<std::vector<std::uint32_t>>(
        *rc::gen::inRange<std::size_t>(0, 2'000), rc::gen::inRange(0u, 4 * size));
    TypeParam model{size};
    for (const std::uint32_t choice : schedule) {
      move(model, NodeId{choice % size}, choice >= 3 * size);
      RC_ASSERT(how_many(model, Phase::inside) <= 1u);
    }
    for (int round = 0; how_many(model, Phase::idle) < size; ++round) {
      RC_ASSERT(round < 10'000);
      for (std::uint32_t p = 0; p < size; ++p) {
        if (model.phase(NodeId{p}) != Phase::idle) move(model, NodeId{p}, false);
        RC_ASSERT(how_many(model, Phase::inside) <= 1u);
      }
    }
  }));
}

TYPED_TEST(EveryModel, RefusesStepsOutOfTurn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TypeParam model{2};
  EXPECT_DEATH(model.step(NodeId{0}), "enabled");
  EXPECT_DEATH(model.release(NodeId{0}), "idle == inside");
  model.request(NodeId{0});
  EXPECT_DEATH(model.request(NodeId{0}), "waiting == idle");
}

}  // namespace
}  // namespace hapax::testing
