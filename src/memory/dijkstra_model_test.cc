#include "memory/dijkstra_model.h"

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

#include "memory/explorer_testing.h"
#include "memory/liveness_testing.h"
#include "memory/memory_model.h"
#include "memory/store_buffer_testing.h"

namespace hapax::testing {
namespace {

TEST(DijkstraModel, AProcessAloneWalksThroughItsLines) {
  DijkstraModel model{2};
  const NodeId one{1};
  std::vector<std::string_view> lines;
  model.request(one);
  while (model.enabled(one)) {
    lines.push_back(model.where(one));
    model.step(one);
  }
  EXPECT_EQ(model.phase(one), Phase::inside);
  model.release(one);
  while (model.enabled(one)) {
    lines.push_back(model.where(one));
    model.step(one);
  }
  EXPECT_EQ(model.phase(one), Phase::idle);
  EXPECT_EQ(lines,
            (std::vector<std::string_view>{
                "L0: write wants[i]", "L1: read turn", "L2: clear claims[i]", "L3: read turn",
                "L3: read wants[turn]", "L3: write turn", "L1: read turn", "L4: write claims[i]",
                "L4: read claims[j]", "leave: clear claims[i]", "leave: clear wants[i]"}));
}

TEST(DijkstraModel, ExclusionAndNoDeadlockForEver) {
  const auto two = explore<DijkstraModel>({.size = 2, .entries = kForever});
  EXPECT_EQ(nearest_with_two_inside(two), std::nullopt);
  EXPECT_EQ(dead_ends(two), 0u);
  EXPECT_FALSE(can_livelock(two));
  EXPECT_EQ(two.size(), 264u);

  const auto three = explore<DijkstraModel>({.size = 3, .entries = kForever});
  EXPECT_EQ(nearest_with_two_inside(three), std::nullopt);
  EXPECT_EQ(dead_ends(three), 0u);
  EXPECT_FALSE(can_livelock(three));
  EXPECT_EQ(three.size(), 8'084u);
}

TEST(DijkstraModel, EverybodyIsServedWhenEntriesAreFew) {
  const auto graph = explore<DijkstraModel>({.size = 3, .entries = 1});
  EXPECT_EQ(nearest_with_two_inside(graph), std::nullopt);
  for (std::uint32_t p = 0; p < 3; ++p) EXPECT_FALSE(can_starve(graph, NodeId{p}));
  EXPECT_EQ(graph.size(), 5'753u);
}

TEST(DijkstraModel, AProcessMayStarve) {
  const auto graph = explore<DijkstraModel>({.size = 2, .entries = kForever});
  EXPECT_TRUE(can_starve(graph, NodeId{0}));
  EXPECT_TRUE(can_starve(graph, NodeId{1}));
}

// Somebody wants to enter by request(), and nobody is inside.
bool is_kept_waiting(const DijkstraModel& model) {
  const auto& owned = std::get<0>(fields(model));
  return how_many(model, Phase::inside) == 0 &&
         std::ranges::any_of(owned, [](const auto& own) { return own.wants; });
}

TEST(DijkstraModel, ATryNeverBreaksExclusionNorStopsTheOthers) {
  const auto two = explore<DijkstraModel>({.size = 2, .entries = kForever, .tries = true});
  EXPECT_EQ(nearest_with_two_inside(two), std::nullopt);
  EXPECT_EQ(two.size(), 736u);
  const auto three = explore<DijkstraModel>({.size = 3, .entries = kForever, .tries = true});
  EXPECT_EQ(nearest_with_two_inside(three), std::nullopt);
  EXPECT_EQ(three.size(), 38'152u);
  // Tries alone may disturb one another for ever; not a request.
  EXPECT_FALSE(can_stay(two, is_kept_waiting));
  EXPECT_FALSE(can_stay(three, is_kept_waiting));
}

TEST(DijkstraModel, ATryIsOverAfterTwoLooksAtEachOther) {
  const Limits limits{.size = 3, .entries = kForever, .tries = true};
  // Look at both, claim, look at both again, take it back.
  EXPECT_EQ(longest_try<DijkstraModel>(limits), 2u + 1 + 2 + 2);
}

// Why turn and wants may be read with relaxed order: here anybody may find anything there at any
// time.
class AnyTurn {
 public:
  explicit AnyTurn(std::uint32_t size) : model_(size) {}

  std::uint32_t size() const { return model_.size(); }
  void request(NodeId process) { model_.request(process); }
  void release(NodeId process) { model_.release(process); }
  void step(NodeId process) { model_.step(process); }
  bool enabled(NodeId process) const { return model_.enabled(process); }
  Phase phase(NodeId process) const { return model_.phase(process); }
  std::vector<AnyTurn> memory_moves() const {
    std::vector<AnyTurn> moves;
    for (std::uint32_t p = 0; p < size(); ++p) {
      bool& wants = std::get<0>(fields(moves.emplace_back(*this).model_))[p].wants;
      wants = !wants;
      std::get<1>(fields(moves.emplace_back(*this).model_)) = p;
    }
    return moves;
  }
  HAPAX_RECORD(AnyTurn, model_)

 private:
  DijkstraModel model_;
};

TEST(DijkstraModel, ExclusionRestsOnTheClaimsAlone) {
  const auto graph = explore<AnyTurn>({.size = 2, .entries = kForever});
  EXPECT_EQ(nearest_with_two_inside(graph), std::nullopt);
  EXPECT_EQ(graph.size(), 2'016u);
}

// Mutants: each must be caught, or the checks above prove nothing.

TEST(DijkstraMutant, AClaimThatComesLateLetsTwoInside) {
  using Mutant = Buffered<DijkstraModel, DijkstraModel::Line::claim>;
  EXPECT_EQ(nearest_with_two_inside(explore<Mutant>({.size = 2})), 15u);
}

TEST(DijkstraMutant, TheStoresThatAreNotSeqCstMayComeLate) {
  using Mutant = Buffered<DijkstraModel, DijkstraModel::Line::want, DijkstraModel::Line::unclaim,
                          DijkstraModel::Line::leave_claim, DijkstraModel::Line::leave_want>;
  const auto graph = explore<Mutant>({.size = 2, .entries = kForever});
  EXPECT_EQ(nearest_with_two_inside(graph), std::nullopt);
  EXPECT_EQ(graph.size(), 1'668u);
}

// Without the second look a process goes in as soon as it has claimed.
class NoScan : public DijkstraModel {
 public:
  using DijkstraModel::DijkstraModel;
  void step(NodeId process) {
    DijkstraModel::step(process);
    DijkstraModel::Line& line = locals_of(static_cast<DijkstraModel&>(*this))[number(process)].line;
    if (line == DijkstraModel::Line::scan) line = DijkstraModel::Line::inside;
  }
};

TEST(DijkstraMutant, WithoutTheSecondLookTwoAreInside) {
  EXPECT_EQ(nearest_with_two_inside(explore<NoScan>({.size = 2})), 13u);
}

// Without stepping back, claims meet and nobody gives way.
class NoStepBack : public DijkstraModel {
 public:
  using DijkstraModel::DijkstraModel;
  void step(NodeId process) {
    Local& local = locals_of(static_cast<DijkstraModel&>(*this))[number(process)];
    DijkstraModel::step(process);
    if (local.line == DijkstraModel::Line::read_turn) local.line = DijkstraModel::Line::claim;
  }
};

TEST(DijkstraMutant, WithoutTheTurnTwoClaimsBlockEachOther) {
  const auto graph = explore<NoStepBack>({.size = 2});
  EXPECT_EQ(nearest_with_two_inside(graph), std::nullopt);
  EXPECT_TRUE(can_livelock(graph));
}

// A try that claims without a first look around.
class NoLook : public DijkstraModel {
 public:
  using DijkstraModel::DijkstraModel;
  void try_request(NodeId process) {
    DijkstraModel::try_request(process);
    locals_of(static_cast<DijkstraModel&>(*this))[number(process)] = {
        .line = DijkstraModel::Line::claim, .trying = true};
  }
};

TEST(DijkstraMutant, WithoutTheFirstLookTriesCanKeepARequestWaitingForEver) {
  const auto graph = explore<NoLook>({.size = 2, .entries = kForever, .tries = true});
  EXPECT_EQ(nearest_with_two_inside(graph), std::nullopt);
  EXPECT_TRUE(can_stay(graph, is_kept_waiting));
}

}  // namespace
}  // namespace hapax::testing
