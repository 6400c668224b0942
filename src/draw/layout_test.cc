#include "draw/layout.h"

#include <gtest/gtest.h>
#include <set>
#include <utility>

#include "draw/testing/traces.h"

namespace hapax {
namespace {

using Arrow = Layout::Arrow;
using Bar = Layout::Bar;

TEST(ShortMessage, LeavesOutTheNamesOfFields) {
  EXPECT_EQ(short_message("REQUEST(clock=5)"), "REQUEST(5)");
  EXPECT_EQ(short_message("TOKEN(generation=1 turn=7)"), "TOKEN(1, 7)");
  EXPECT_EQ(short_message("REQUEST"), "REQUEST");
  EXPECT_EQ(short_message("ELECTION(round=1 of P1 ids=[P1])"), "ELECTION(1 of P1, [P1])");
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

// Of two that were inside one after the other, neither looks as if it had been there with the
// other.
TEST_P(LayoutOf, BarsOverlapOnlyWhereTheTraceSaysSo) {
  for (const Chronicle& scene : testing::scenes_of(GetParam())) {
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
