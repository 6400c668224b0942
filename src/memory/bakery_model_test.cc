#include "memory/bakery_model.h"

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

#include "base/id_set.h"
#include "memory/explorer_testing.h"
#include "memory/liveness_testing.h"
#include "memory/memory_model.h"
#include "memory/store_buffer_testing.h"

namespace hapax::testing {
namespace {

BakeryModel::Local& local_of(BakeryModel& model, std::uint32_t p) { return locals_of(model)[p]; }
BakeryModel::Line line_of(BakeryModel model, std::uint32_t p) { return local_of(model, p).line; }

void run_alone(BakeryModel& model, NodeId process) {
  while (model.enabled(process)) model.step(process);
}

TEST(BakeryModel, AProcessAloneWalksThroughItsLines) {
  BakeryModel model{2};
  const NodeId one{1};
  std::vector<std::string_view> lines;
  model.request(one);
  for (; model.enabled(one); model.step(one)) lines.push_back(model.where(one));
  EXPECT_EQ(model.phase(one), Phase::inside);
  model.release(one);
  for (; model.enabled(one); model.step(one)) lines.push_back(model.where(one));
  EXPECT_EQ(model.phase(one), Phase::idle);
  EXPECT_EQ(lines,
            (std::vector<std::string_view>{"doorway: write choosing[i]", "doorway: read number[j]",
                                           "doorway: write number[i]", "doorway: clear choosing[i]",
                                           "bakery: read choosing[j]", "bakery: read number[j]",
                                           "leave: clear number[i]"}));
  EXPECT_EQ(model, BakeryModel{2});
}

TEST(BakeryModel, TicketsGrowWhileTheBakeryIsNeverEmpty) {
  BakeryModel model{2};
  model.request(NodeId{0});
  run_alone(model, NodeId{0});
  for (std::uint64_t ticket = 2; ticket < 10; ++ticket) {
    const auto waiting = static_cast<std::uint32_t>(ticket + 1) % 2;
    const NodeId next{waiting};
    const NodeId holder{1 - waiting};
    model.request(next);
    run_alone(model, next);
    EXPECT_EQ(local_of(model, waiting).ticket, ticket);
    EXPECT_EQ(model.phase(next), Phase::waiting);
    model.release(holder);
    run_alone(model, holder);
    run_alone(model, next);
    EXPECT_EQ(model.phase(next), Phase::inside);
  }
}

void expect_exclusion_and_progress(const Limits& limits, std::size_t states) {
  const auto graph = explore<BakeryModel>(limits);
  EXPECT_EQ(nearest_with_two_inside(graph), std::nullopt);
  EXPECT_EQ(dead_ends(graph), 0u);
  // No cycle at all and no dead end: every run serves everybody.
  EXPECT_TRUE((Components{graph, [](const auto&) { return true; }}.cyclic().empty()));
  EXPECT_EQ(graph.size(), states);
}

TEST(BakeryModel, ExclusionAndProgress) {
  expect_exclusion_and_progress({.size = 2, .entries = 1}, 130);
  expect_exclusion_and_progress({.size = 2, .entries = 2}, 747);
  expect_exclusion_and_progress({.size = 3, .entries = 1}, 4'222);
}

TEST(BakeryModel, ATryNeverBreaksExclusionNorStopsTheOthers) {
  expect_exclusion_and_progress({.size = 2, .entries = 2, .tries = true}, 2'783);
  expect_exclusion_and_progress({.size = 3, .entries = 1, .tries = true}, 35'073);
}

TEST(BakeryModel, ATryIsOverAfterABoundedNumberOfSteps) {
  const Limits limits{.size = 3, .entries = 1, .tries = true};
  // Look at both, doorway, bakery, throw the ticket away.
  EXPECT_EQ(longest_try<BakeryModel>(limits), 2u + 5 + 4 + 1);
}

// Who is past the doorway when another starts into it must be inside first.
class Watched {
 public:
  explicit Watched(std::uint32_t size) : model_(size), ahead_(size) {}

  std::uint32_t size() const { return model_.size(); }
  void request(NodeId process) { model_.request(process); }
  void release(NodeId process) { model_.release(process); }
  bool enabled(NodeId process) const { return model_.enabled(process); }
  Phase phase(NodeId process) const { return model_.phase(process); }
  bool is_overtaken() const { return overtaken_; }

  void step(NodeId process) {
    const std::uint32_t self = number(process);
    if (line_of(model_, self) == BakeryModel::Line::choose) ahead_[self] = past_the_doorway();
    model_.step(process);
    if (model_.phase(process) != Phase::inside) return;
    overtaken_ = overtaken_ || !ahead_[self].empty();
    for (NodeSet& ahead : ahead_) ahead.erase(process);
  }

  HAPAX_RECORD(Watched, model_, ahead_, overtaken_)

 private:
  NodeSet past_the_doorway() const {
    NodeSet past;
    for (std::uint32_t p = 0; p < size(); ++p) {
      const BakeryModel::Line line = line_of(model_, p);
      if (line == BakeryModel::Line::await_choosing || line == BakeryModel::Line::await_number)
        past.insert(NodeId{p});
    }
    return past;
  }

  BakeryModel model_;
  std::vector<NodeSet> ahead_;
  bool overtaken_ = false;
};

TEST(BakeryModel, WhoHasATicketBeforeAnotherDrawsGoesInFirst) {
  const auto is_overtaken = [](const Watched& model) { return model.is_overtaken(); };
  const auto two = explore<Watched>({.size = 2, .entries = 2});
  EXPECT_EQ(nearest(two, is_overtaken), std::nullopt);
  EXPECT_EQ(two.size(), 845u);
  const auto three = explore<Watched>({.size = 3, .entries = 1});
  EXPECT_EQ(nearest(three, is_overtaken), std::nullopt);
  EXPECT_EQ(three.size(), 7'881u);
}

// Mutants: each must be caught, or the checks above prove nothing.

class NoChoosing : public BakeryModel {
 public:
  using BakeryModel::BakeryModel;
  void step(NodeId process) {
    BakeryModel::step(process);
    std::get<0>(fields(static_cast<BakeryModel&>(*this)))[number(process)].choosing = false;
  }
};

TEST(BakeryMutant, WithoutChoosingTwoAreInside) {
  EXPECT_EQ(nearest_with_two_inside(explore<NoChoosing>({.size = 2})), 14u);
}

// Equal tickets, and nobody gives way: the tie must be broken by number.
class NoTieBreak : public BakeryModel {
 public:
  using BakeryModel::BakeryModel;
  bool enabled(NodeId process) const {
    const auto& [owned, locals] = fields(static_cast<const BakeryModel&>(*this));
    const Local& local = locals[number(process)];
    const bool is_tied =
        local.line == BakeryModel::Line::await_number && owned[local.other].number == local.ticket;
    return BakeryModel::enabled(process) && !is_tied;
  }
};

TEST(BakeryMutant, WithoutTheTieBreakEqualTicketsBlockEachOther) {
  const auto graph = explore<NoTieBreak>({.size = 2});
  EXPECT_EQ(nearest_with_two_inside(graph), std::nullopt);
  EXPECT_GT(dead_ends(graph), 0u);
}

TEST(BakeryMutant, ChoosingThatComesLateLetsTwoInside) {
  using Mutant = Buffered<BakeryModel, BakeryModel::Line::choose>;
  EXPECT_EQ(nearest_with_two_inside(explore<Mutant>({.size = 2})), 14u);
}

TEST(BakeryMutant, ATicketThatComesLateLetsTwoInside) {
  using Mutant = Buffered<BakeryModel, BakeryModel::Line::write_number, BakeryModel::Line::chosen>;
  EXPECT_EQ(nearest_with_two_inside(explore<Mutant>({.size = 2})), 16u);
}

TEST(BakeryMutant, TheStoresThatAreNotSeqCstMayComeLate) {
  using Mutant = Buffered<BakeryModel, BakeryModel::Line::chosen, BakeryModel::Line::leave>;
  const auto graph = explore<Mutant>({.size = 2, .entries = 2});
  EXPECT_EQ(nearest_with_two_inside(graph), std::nullopt);
  EXPECT_EQ(graph.size(), 1'759u);
}

}  // namespace
}  // namespace hapax::testing
