#include "voting/maekawa.h"

#include <gmock/gmock.h>

#include "mutex/testing/network.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;
using Locked = Maekawa::Locked;

VotingSets lecture(std::uint32_t n) { return *VotingSets::lecture(n); }

// #0, #1 and #2 ask, #3 and #4 vote: three requesters that share one voting set of two.
VotingSets shared_two() { return *VotingSets::parse("1: 4 5\n2: 4 5\n3: 4 5\n4: 4 5\n5: 4 5\n"); }

std::uint64_t total(const Network<Maekawa>& net, const VotingSets& sets) {
  std::uint64_t others = 0;
  for (const auto& entry : net.entries()) {
    others += sets.size(entry.node) - (sets.contains(entry.node, entry.node) ? 1 : 0);
  }
  return others;
}

TEST(Maekawa, AnEntryWithoutConflictTakesThreeMessagesForEveryOtherVoter) {
  const VotingSets plane = lecture(7);
  Network<Maekawa> net{7, 0, false, {&plane}};
  net.request(4);
  net.settle();
  EXPECT_EQ(net.sent(), 6u);
  const VotingSets cyclic = VotingSets::cyclic(10);
  Network<Maekawa> ten{10, 0, false, {&cyclic}};
  ten.request(4);
  ten.settle();
  EXPECT_EQ(ten.sent(), 9u) << "K = 4";
  Network<Maekawa> by_default{9};
  by_default.request(4);
  by_default.settle();
  EXPECT_EQ(by_default.sent(), 12u) << "the grid of nine: K = 5";
}

TEST(Maekawa, ClientDelayIsTwoMessages) {
  Network<Maekawa> net{9};
  net.request(3);
  EXPECT_EQ(net.ticks_until_inside(3), 2u);
}

TEST(Maekawa, SynchronizationDelayIsTwoMessagesOverAThird) {
  const VotingSets plane = lecture(7);
  Network<Maekawa> net{7, 0, false, {&plane}};
  net.request(0);
  net.drain();
  net.request(4);  // {1,2,3} and {2,5,7} on the blackboard: 2 decides.
  net.drain();
  net.release(0);
  EXPECT_EQ(net.ticks_until_inside(4), 2u);
}

TEST(Maekawa, AVoterThatHasVotedTellsALaterRequestToWait) {
  const VotingSets sets = shared_two();
  Network<Maekawa> net{5, 0, false, {&sets}};
  net.request(0);
  net.request(1);
  net.deliver(0, 3);
  net.deliver(1, 3);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#3 tells #1 to wait: #0 has its vote"});
}

TEST(Maekawa, AnEarlierRequestMakesTheVoterAskForItsVoteBackOnce) {
  const VotingSets sets = shared_two();
  Network<Maekawa> net{5, 0, false, {&sets}};
  for (const std::uint32_t node : Order{0, 1, 2}) net.request(node);
  net.deliver(2, 3);
  net.deliver(1, 3);
  EXPECT_EQ(net.reasons(),
            std::vector<std::string>{"#3 asks #2 for its vote back: (1,#1) precedes it"});
  net.deliver(0, 3);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#3 tells #1: (1,#0) comes before it"})
      << "Sanders' correction, and no second inquiry";
}

TEST(Maekawa, WhoeverMayStillWinKeepsTheVoteUntilItHasFailed) {
  const VotingSets sets = shared_two();
  Network<Maekawa> net{5, 0, false, {&sets}};
  net.request(0);
  net.request(1);
  net.deliver(1, 3);  // #3 votes for #1,
  net.deliver(0, 4);  // #4 for #0.
  net.deliver(0, 3);  // #3 wants its vote back for #0.
  net.deliver(3, 1);
  net.deliver(3, 1);
  EXPECT_EQ(net.reasons(),
            std::vector<std::string>{"#1 keeps the vote of #3 for now: it may still win"});
  net.deliver(1, 4);  // #4 tells #1 to wait.
  net.deliver(4, 1);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#1 yields the vote of #3: it cannot win now"});
  net.settle();
  EXPECT_EQ(net.order(), (Order{0, 1}));
}

TEST(Maekawa, WhoeverHasEveryVoteNeverYields) {
  const VotingSets sets = shared_two();
  Network<Maekawa> net{5, 0, false, {&sets}};
  net.request(1);
  net.drain();
  ASSERT_EQ(net.phase(1), Phase::inside);
  net.request(0);
  net.deliver(0, 3);
  net.deliver(3, 1);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#1 ignores an inquiry of #3: too late"});
  net.settle();
  EXPECT_EQ(net.order(), (Order{1, 0}));
}

// The inquiry is about a vote that has been given back; the vote that #1 has by then is another.
TEST(Maekawa, AnInquiryThatCrossesTheReleaseTakesNothing) {
  const VotingSets sets = shared_two();
  Network<Maekawa> net{5, 0, false, {&sets}};
  net.request(1);
  net.drain();
  net.request(0);
  net.deliver(0, 3);
  net.release(1);
  net.request(1);
  net.deliver(3, 1);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#1 ignores an inquiry of #3: too late"});
  net.settle();
  EXPECT_EQ(net.order(), (Order{1, 0, 1}));
}

TEST(Maekawa, TheSchedulesThatDeadlockTheLecturesFormAreServed) {
  for (const std::uint32_t n : {3u, 4u}) {
    const VotingSets sets = lecture(n);
    Network<Maekawa> net{n, 0, false, {&sets}};
    for (std::uint32_t node = 0; node < n; ++node) net.request(node);
    net.settle();
    EXPECT_EQ(net.entries().size(), n);
  }
}

// FIFO schedules drawn from many seeds. Somebody left waiting would be a failure.
void expect_no_deadlock(const VotingSets& sets, std::uint64_t seeds) {
  const std::uint32_t n = sets.processes();
  for (std::uint64_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    Network<Maekawa> net{n, 0, seed % 3 == 0, {&sets}};
    net.run_random(seed, 3);
    EXPECT_EQ(net.entries().size(), 3 * n) << seed;
    EXPECT_LE(net.sent(), 6 * total(net, sets) + 5 * n) << seed;
  }
}

TEST(Maekawa, ThreeThatShareAVotingSetOfTwoNeverDeadlock) {
  expect_no_deadlock(shared_two(), 400);
  expect_no_deadlock(*VotingSets::parse("1: 1 2\n2: 1 2\n3: 1 2\n"), 400);
}

TEST(Maekawa, TheLecturesThreeNeverDeadlock) { expect_no_deadlock(lecture(3), 400); }

TEST(Maekawa, TheLecturesGridOfFourNeverDeadlocks) { expect_no_deadlock(lecture(4), 400); }

TEST(Maekawa, TheLecturesPlaneOfSevenNeverDeadlocks) { expect_no_deadlock(lecture(7), 60); }

TEST(Maekawa, ConflictsCostAtMostSixMessagesForEveryOtherVoter) {
  const VotingSets sets = lecture(7);
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Network<Maekawa> net{7, 0, false, {&sets}};
    net.run_random(seed, 4);
    EXPECT_LE(net.sent(), 6 * total(net, sets)) << seed;
    most = std::max(most, net.sent());
  }
  EXPECT_GT(most, 3u * 4 * 7 * 2) << "some do cost more than three";
}

TEST(Maekawa, TurnsGrowThoughOnlyOneVoterIsCommon) {
  const VotingSets sets = lecture(7);
  Network<Maekawa> net{7, 0, false, {&sets}};
  for (std::uint32_t i = 0; i < 28; ++i) {
    net.request(i * 3 % 7);
    net.settle();
  }
  for (std::size_t i = 1; i < net.entries().size(); ++i) {
    EXPECT_TRUE(net.entries()[i - 1].fence < net.entries()[i].fence);
  }
  EXPECT_EQ(net.entries().size(), 28u);
}

TEST(Maekawa, StartsFromEveryView) { testing::expect_starts_from_every_view<Maekawa>(); }

TEST(Maekawa, ServesEveryRequestInEverySchedule) { testing::expect_all_served<Maekawa>(6); }

TEST(Maekawa, WhoeverIsServedLeavesNoTraceButTheClock) {
  Network<Maekawa> net{4};
  net.request(1);
  net.settle();
  const Maekawa fresh{net.view(2)};
  EXPECT_TRUE(net.node(2) == fresh) << "no voter of #1";
  EXPECT_THAT(to_text(net.node(1)), HasSubstr("bid=- queue=[] candidate_clock=0 candidate=#0"));
}

TEST(Maekawa, AnIdleMemberTakesAtMostOneCacheLine) { EXPECT_LE(sizeof(Maekawa), 64u); }

TEST(Maekawa, RefusesAnswersItHasNotAskedFor) {
  Network<Maekawa> net{4};
  EXPECT_EQ(verdict(net.node(0), 1, Locked{Clock{9}}), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(0), 1, Maekawa::Failed{}), Reject::not_asked);
  EXPECT_EQ(verdict(net.node(0), 3, Maekawa::Inquire{}), Reject::not_asked) << "no voter of ours";
  net.request(0);
  EXPECT_EQ(verdict(net.node(0), 3, Locked{Clock{9}}), Reject::not_asked) << "no voter of ours";
  EXPECT_EQ(verdict(net.node(0), 1, Locked{Clock{9}}), Reject::none);
  net.deliver(0, 1);
  net.deliver(1, 0);
  EXPECT_EQ(verdict(net.node(0), 1, Locked{Clock{9}}), Reject::not_asked) << "votes twice";
  EXPECT_EQ(verdict(net.node(0), 1, Maekawa::Failed{}), Reject::not_asked) << "its vote is here";
}

TEST(Maekawa, RefusesTheReturnOfAVoteItHasNotGiven) {
  Network<Maekawa> net{4};
  EXPECT_EQ(verdict(net.node(1), 0, Maekawa::Release{Clock{9}}), Reject::not_granted);
  EXPECT_EQ(verdict(net.node(1), 0, Maekawa::Yield{}), Reject::not_granted);
  net.request(0);
  net.deliver(0, 1);
  EXPECT_EQ(verdict(net.node(1), 0, Maekawa::Yield{}), Reject::not_granted)
      << "nobody asked for it";
  EXPECT_EQ(verdict(net.node(1), 3, Maekawa::Release{Clock{9}}), Reject::not_granted);
  EXPECT_EQ(verdict(net.node(1), 0, Maekawa::Release{Clock{9}}), Reject::none);
}

}  // namespace
}  // namespace hapax
