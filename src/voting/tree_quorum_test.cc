#include "voting/tree_quorum.h"

#include <algorithm>
#include <gmock/gmock.h>

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Network;
using Voters = std::vector<std::uint32_t>;

Voters voters_of(std::uint32_t member, std::uint32_t n) {
  const TreeRule rule;
  Voters voters;
  for (std::uint32_t s = 0; s < rule.size(NodeId{member}, n); ++s) {
    voters.push_back(number(rule.voter(NodeId{member}, VoterSeat{s}, n)));
  }
  return voters;
}

Voters quorum_of(std::uint32_t member, std::uint32_t n, const NodeSet& avoided) {
  const auto quorum = tree_quorum(NodeId{member}, n, avoided);
  Voters voters;
  for (const NodeId voter : quorum.value()) voters.push_back(number(voter));
  return voters;
}

// --- the quorums ---

TEST(TreeQuorum, IsAPathFromTheRootThroughTheMemberToALeaf) {
  EXPECT_THAT(voters_of(3, 7), ElementsAre(0, 1, 3));
  EXPECT_THAT(voters_of(2, 7), ElementsAre(0, 2, 6));
  EXPECT_THAT(voters_of(0, 7), ElementsAre(0, 2, 6));
  EXPECT_THAT(voters_of(0, 1), ElementsAre(0));
}

TEST(TreeQuorum, TakesTheShorterWayDownWhereTheTreeIsNotFull) {
  EXPECT_THAT(voters_of(0, 4), ElementsAre(0, 2));
  EXPECT_THAT(voters_of(1, 4), ElementsAre(0, 1, 3)) << "its only child is on every path";
}

TEST(TreeQuorum, HasLogarithmicallyManyVotersInAFullTree) {
  for (std::uint32_t levels = 1; levels <= 16; ++levels) {
    const std::uint32_t n = (1u << levels) - 1;
    for (std::uint32_t i = 0; i < n; i += 1 + i / 3) {
      EXPECT_EQ(TreeRule{}.size(NodeId{i}, n), levels) << "log2(N+1)";
    }
  }
}

TEST(TreeQuorum, EveryMemberVotesForItselfAndTheRootForAll) {
  for (std::uint32_t n = 1; n <= 64; ++n) {
    for (std::uint32_t i = 0; i < n; ++i) {
      EXPECT_TRUE(TreeRule{}.contains(NodeId{i}, NodeId{i}, n));
      EXPECT_TRUE(TreeRule{}.contains(NodeId{i}, NodeId{0}, n));
      Voters by_seat;
      for (std::uint32_t v = 0; v < n; ++v) {
        if (TreeRule{}.contains(NodeId{i}, NodeId{v}, n)) by_seat.push_back(v);
      }
      EXPECT_EQ(by_seat, voters_of(i, n)) << "seats and voters agree";
    }
  }
}

TEST(TreeQuorum, WithNobodyToAvoidTheRecursionGivesTheSamePath) {
  for (std::uint32_t n = 1; n <= 40; ++n) {
    for (std::uint32_t i = 0; i < n; ++i) {
      EXPECT_EQ(quorum_of(i, n, {}), voters_of(i, n)) << i << " of " << n;
    }
  }
}

TEST(TreeQuorum, InPlaceOfAMemberToAvoidItsChildrenWillDo) {
  EXPECT_THAT(quorum_of(3, 7, {NodeId{0}}), ElementsAre(1, 2, 3, 6)) << "paths below both children";
  EXPECT_THAT(quorum_of(3, 7, {NodeId{1}}), ElementsAre(0, 3, 4))
      << "its own way, round the failed one";
  EXPECT_THAT(quorum_of(3, 7, {NodeId{3}}), ElementsAre(0, 1, 4)) << "another leaf";
  EXPECT_THAT(quorum_of(3, 7, {NodeId{3}, NodeId{4}}), ElementsAre(0, 2, 6)) << "another branch";
  EXPECT_EQ(tree_quorum(NodeId{3}, 7, {NodeId{0}, NodeId{3}, NodeId{4}}), std::nullopt);
}

// The claim of the paper, for all failures at once: also members that know of different ones.
TEST(TreeQuorum, AnyTwoMeetWhoeverIsAvoided) {
  for (std::uint32_t n = 1; n <= 8; ++n) {
    std::vector<std::uint32_t> quorums;  // A bit for each voter.
    for (std::uint32_t avoid = 0; avoid < 1u << n; ++avoid) {
      NodeSet avoided;
      for (std::uint32_t i = 0; i < n; ++i) {
        if ((avoid >> i & 1) != 0) avoided.insert(NodeId{i});
      }
      for (std::uint32_t member = 0; member < n; ++member) {
        const auto quorum = tree_quorum(NodeId{member}, n, avoided);
        if (!quorum) continue;
        std::uint32_t bits = 0;
        for (const NodeId voter : *quorum) bits |= 1u << number(voter);
        EXPECT_EQ(bits & avoid, 0u) << "it has whom it avoids";
        quorums.push_back(bits);
      }
    }
    std::sort(quorums.begin(), quorums.end());
    quorums.erase(std::unique(quorums.begin(), quorums.end()), quorums.end());
    for (const std::uint32_t a : quorums) {
      for (const std::uint32_t b : quorums) ASSERT_NE(a & b, 0u) << n << ": " << a << " and " << b;
    }
  }
}

TEST(TreeQuorum, SetsByName) {
  EXPECT_EQ(tree_quorums_named("tree", 7)->describe(), "listed, K = 3; proved: M1 M2 M3; not: M4");
  EXPECT_EQ(tree_quorums_named("avoid:1", 7)->size(NodeId{3}), 4u);
  EXPECT_TRUE(tree_quorums_named("1:1,2;2:1,2", 2).has_value()) << "as traces write them";
  EXPECT_THAT(tree_quorums_named("avoid:1,3,4", 4).error().message, HasSubstr("no quorum"));
  for (const char* wrong : {"grid", "avoid:", "avoid:0", "avoid:8", "avoid:1,", "avoid:x"}) {
    EXPECT_FALSE(tree_quorums_named(wrong, 7).has_value()) << wrong;
  }
}

// --- the algorithm ---

TEST(TreeQuorum, AnEntryWithoutConflictTakesThreeMessagesForEveryOtherVoter) {
  Network<TreeQuorum> net{15};
  net.request(9);
  net.settle();
  EXPECT_EQ(net.sent(), 9u) << "K = 4";
  net.forget_sent();
  net.request(0);
  net.settle();
  EXPECT_EQ(net.sent(), 9u) << "also for the root";
}

TEST(TreeQuorum, ClientDelayIsTwoMessages) {
  Network<TreeQuorum> net{7};
  net.request(3);
  EXPECT_EQ(net.ticks_until_inside(3), 2u);
}

TEST(TreeQuorum, SynchronizationDelayIsTwoMessagesOverTheRoot) {
  Network<TreeQuorum> net{7};
  net.request(3);
  net.drain();
  net.request(6);
  net.drain();
  net.release(3);
  EXPECT_EQ(net.ticks_until_inside(6), 2u);
}

TEST(TreeQuorum, ThreeThatAskAtOnceAllEnter) {
  Network<TreeQuorum> net{7};
  for (const std::uint32_t node : {6u, 3u, 0u}) net.request(node);
  net.settle();
  EXPECT_EQ(net.entries().size(), 3u);
}

TEST(TreeQuorum, StartsFromEveryView) { testing::expect_starts_from_every_view<TreeQuorum>(); }

TEST(TreeQuorum, ServesAllInEverySchedule) { testing::expect_all_served<TreeQuorum>(); }

TEST(TreeQuorum, AlsoRoundAMemberThatIsToBeAvoided) {
  for (const char* avoid : {"avoid:1", "avoid:2", "avoid:2,6"}) {
    const VotingSets sets = tree_quorums_named(avoid, 7).value();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Network<TreeQuorum> net{7, 0, false, {&sets}};
      net.run_random(seed, 3);
      EXPECT_EQ(net.entries().size(), 21u) << avoid;
    }
  }
}

}  // namespace
}  // namespace hapax
