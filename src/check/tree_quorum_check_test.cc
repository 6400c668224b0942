// The tree quorums, checked; and planted bugs of theirs, caught.
#include <gtest/gtest.h>

#include "check/testing/caught.h"
#include "mutex/testing/bugs_tree_quorum.h"
#include "voting/tree_quorum.h"

namespace hapax {
namespace {

using testing::expect_caught;
using testing::expect_holds;
using testing::expect_needs_fifo;
using testing::expect_real_without_a_bug;

TEST(TreeQuorumCheck, HoldsForThree) {
  const CheckReport report = check("tree-quorum", {}).value();
  EXPECT_EQ(name_of(report.verdict), name_of(Verdict::holds)) << testing::text_of(report);
  EXPECT_EQ(report.states, 540u);
  EXPECT_EQ(report.transitions, 959u);
}

TEST(TreeQuorumCheck, HoldsWithoutTheRoot) {
  const VotingSets sets = tree_quorums_named("avoid:1", 3).value();
  expect_holds("tree-quorum", {}, {&sets});
}

TEST(MutantsOfTreeQuorum, WithoutABugAreTheRealOne) {
  expect_real_without_a_bug<TreeQuorum>({.n = 2, .entries = 2});
}

TEST(MutantsOfTreeQuorum, PassTheRootByOnOneSideOnly) {
  expect_caught<TreeQuorum, bugs::PassesTheRootBy>({"exclusion", 2}, {});
}

TEST(MutantsOfTreeQuorum, NeverInquire) {
  const VotingSets sets = tree_quorums_named("avoid:1", 3).value();
  expect_caught<TreeQuorum, bugs::NeverInquires>({"progress", 7}, {}, {&sets});
}

TEST(MutantsOfTreeQuorum, WithoutFifoGetAVoteBeforeItsRefusal) {
  expect_needs_fifo("tree-quorum", {"protocol", 8}, {});
}

}  // namespace
}  // namespace hapax
