#include "draw/layout.h"

#include <gtest/gtest.h>
#include <set>
#include <utility>

#include "draw/testing/traces.h"
#include "catalog/catalog.h"

namespace hapax {
namespace {

using Arrow = Layout::Arrow;
using Bar = Layout::Bar;

TEST(ShortMessage, LeavesOutTheNamesOfFields) {
  EXPECT_EQ(short_message("REQUEST(clock=5)"), "REQUEST(5)");
  EXPECT_EQ(short_message("TOKEN(generation=1 turn=7)"), "TOKEN(1, 7)");
  EXPECT_EQ(short_message("REQUEST"), "REQUEST");
  EXPECT_EQ(short_message("ELECTION(round=1 of P1 ids=[P1])"), "ELECTION(1 of P1, [P1])");
  EXPECT_EQ(short_message("TOKEN(privilege=PRIVILEGE(served=[P3:1] queue=[] turn=1))"),
            "TOKEN([P3:1], [], 1)");
}

class LayoutOf : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(LayoutOf, TimeGoesDown) {
  for (const Chronicle& scene : testing::scenes_of(GetParam())) {
    for (const Packing packing : {Packing::one_step_a_row, Packing::tight}) {
      const Layout layout = lay_out(scene, packing);
      for (const Arrow& arrow : layout.arrows) {
        EXPECT_LT(arrow.came, layout.rows);
        if (arrow.fate == Arrow::Fate::arrives) {
          EXPECT_LT(arrow.sent, arrow.came) << arrow.text;
        }
      }
      for (const Bar& bar : layout.bars) {
        EXPECT_LE(bar.first, bar.last);
        EXPECT_LT(bar.last, layout.rows);
      }
      EXPECT_EQ(layout.steps.size(), layout.rows);
    }
  }
}

TEST_P(LayoutOf, ANodeTakesOneStepARow) {
  for (const Chronicle& scene : testing::scenes_of(GetParam())) {
    std::set<std::pair<NodeId, std::uint32_t>> steps;
    for (const Layout::Mark& mark : lay_out(scene, Packing::tight).marks) {
      EXPECT_TRUE(steps.insert({mark.node, mark.row}).second) << "row " << mark.row;
    }
  }
}

bool lets_in_several(const Chronicle& scene) {
  const Operations* algorithm = find_algorithm(scene.algorithm);
  return algorithm != nullptr && algorithm->shared;
}

// Two that were inside one after the other do not look as if they had been there together.
TEST_P(LayoutOf, BarsOverlapOnlyWhereTheTraceSaysSo) {
  for (const Chronicle& scene : testing::scenes_of(GetParam())) {
    if (lets_in_several(scene)) continue;
    const Layout layout = lay_out(scene, Packing::tight);
    for (const Bar& a : layout.bars) {
      for (const Bar& b : layout.bars) {
        if (a.node == b.node || a.kind != Bar::Kind::inside || b.kind != a.kind) continue;
        const bool overlap = a.first < b.last && b.first < a.last;
        EXPECT_TRUE(!overlap || (a.violates && b.violates)) << a.label << " and " << b.label;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, LayoutOf, ::testing::ValuesIn(testing::trace_files()),
                         testing::test_name);

TEST(TightLayout, IsShorterThanOneStepARow) {
  const auto scenes =
      testing::scenes_of_text("nodes ricart-agrawala A B C D\nrequest A\nstabilize\n----\n");
  const Layout tight = lay_out(scenes.at(0), Packing::tight);
  EXPECT_EQ(lay_out(scenes.at(0), Packing::one_step_a_row).rows, 7u);
  EXPECT_EQ(tight.rows, 5u) << "three get the request at once; three replies come one by one";
}

Layout laid_out(const std::string& commands) {
  return lay_out(testing::scenes_of_text(commands + "----\n").at(0), Packing::tight);
}

TEST(Layout, WritesGenerationsAsPowers) {
  const Layout layout =
      laid_out("nodes token-ring A B\nstart\nregenerate A\nrequest B\ndeliver A->B 2\nrelease B\n");
  std::vector<std::string> texts;
  for (const Arrow& arrow : layout.arrows) texts.push_back(arrow.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"TOKEN(0, 0)", "TOKEN(1, 2⁴⁰)", "TOKEN(1, 2⁴⁰+1)"}));
  EXPECT_EQ(layout.bars.back().label, "1.2⁴⁰+1");
}

TEST(Layout, SaysWhoWaitsForEver) {
  const Layout stuck = laid_out("nodes ricart-agrawala A B\nrequest A\ndrop A->B\n");
  ASSERT_EQ(stuck.bars.size(), 1u);
  EXPECT_EQ(stuck.bars[0].label, "waits for ever");
  const Layout moves = laid_out("nodes ricart-agrawala A B\nrequest A\n");
  EXPECT_EQ(moves.bars.at(0).label, "") << "a message is under way";
  const Layout inside =
      laid_out("nodes ricart-agrawala A B\nrequest A\nstabilize\nrequest B\nstabilize\n");
  for (const Bar& bar : inside.bars) EXPECT_NE(bar.label, "waits for ever") << "A will leave";
}

TEST(Layout, WhatIsSentToTheDeadIsLost) {
  const Layout layout = laid_out("nodes ricart-agrawala A B\ncrash B\nrequest A\n");
  ASSERT_EQ(layout.arrows.size(), 1u);
  EXPECT_EQ(layout.arrows[0].fate, Arrow::Fate::lost_at_the_end);
  EXPECT_EQ(layout.bars.at(0).label, "waits for ever");
}

TEST(Layout, ARefusalIsAMark) {
  const Layout layout =
      laid_out("nodes raymond A B\nrequest B\ndeliver B->A\nrequest A\ndeliver A->B 2\n");
  EXPECT_EQ(layout.marks.back().kind, Layout::Mark::Kind::rejected);
  EXPECT_EQ(layout.marks.back().label, "refuses");
  for (const Layout::Mark& mark : layout.marks) {
    EXPECT_NE(mark.kind, Layout::Mark::Kind::deferred) << "who is served at once does not wait";
  }
}

TEST(Layout, WhoIsToldToWaitIsKeptWaiting) {
  const Layout layout = laid_out(
      "nodes central A B C say-denied\nrequest B\nrequest C\ndeliver B->A\ndeliver C->A\n");
  EXPECT_EQ(layout.marks.back().kind, Layout::Mark::Kind::deferred);
}

TEST(Layout, AFenceThatDoesNotGrowIsStale) {
  const Layout layout = laid_out(
      "nodes central A B\nrequest B\ndeliver B->A\ndup A->B\ndeliver A->B\nrelease B\n"
      "request B\ndeliver A->B\n");
  std::vector<bool> stale;
  for (const Bar& bar : layout.bars) {
    if (bar.kind == Bar::Kind::inside) stale.push_back(bar.stale);
  }
  EXPECT_EQ(stale, (std::vector<bool>{false, true}));
}

TEST(Layout, MarksTheTimeThatTwoAreInside) {
  const std::string overtaken =
      std::string{HAPAX_SOURCE} + "/mutex/testdata/lamport-overtaken.trace";
  const auto layout = lay_out(testing::scenes_of(overtaken).at(0), Packing::tight);
  std::set<NodeId> clash;
  for (const Bar& bar : layout.bars) {
    if (bar.kind == Bar::Kind::clash) clash.insert(bar.node);
  }
  EXPECT_EQ(clash.size(), 2u);
}

}  // namespace
}  // namespace hapax
