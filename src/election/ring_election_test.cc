#include "election/ring_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "election/testing/small_world.h"
#include "wire/codec.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using Ballot = RingElection::Ballot;

enum RingMessage : std::size_t { kRingElection, kRingCoordinator };

TEST(RingElectionPaper, TwoNMessagesWhoeverStarts) {
  for (const std::uint32_t n : {2U, 3U, 10U, 100U}) {
    for (std::uint32_t starter = 0; starter < n; starter += 1 + n / 5) {
      SmallWorld<RingElection> world{n};
      world.campaign(starter);
      world.deliver_all();
      EXPECT_EQ(world.complaint(), "");
      EXPECT_EQ(world.sent(kRingElection), n);
      EXPECT_EQ(world.sent(kRingCoordinator), n);
    }
  }
}

TEST(RingElectionPaper, TenMembersTwentyMessages) {
  SmallWorld<RingElection> world{10};
  world.campaign(3);
  world.deliver_all();
  EXPECT_EQ(world.sent(), 20U);
}

TEST(RingElectionPaper, AFaultySuccessorIsSkipped) {
  SmallWorld<RingElection> world{6};
  world.be_down(5);
  world.be_down(2);
  world.campaign(1);
  world.deliver_all();
  EXPECT_EQ(world.complaint(), "");
  EXPECT_EQ(world.member(1).leader(), NodeId{4});
  EXPECT_EQ(world.sent(), 2U * 4U);
}

TEST(RingElectionPaper, SeveralStartersOneWinner) {
  for (std::uint32_t starters = 1; starters < (1U << 6); ++starters) {
    SmallWorld<RingElection> world{6};
    for (std::uint32_t i = 0; i < 6; ++i) {
      if ((starters >> i & 1) != 0) world.campaign(i);
    }
    world.deliver_all();
    EXPECT_EQ(world.complaint(), "");
    EXPECT_EQ(world.sent(kRingCoordinator), 6U)
        << starters;  // One election ends; the others are dropped.
  }
}

struct OneOnTheRing {
  RingElection member;
  Effects<RingElection::Message> fx;

  OneOnTheRing(std::uint32_t self, std::uint32_t size)
      : member{View{.size = size, .self = NodeId{self}}} {
    fx.explain(true);
  }
  std::vector<std::string> sends() {
    std::vector<std::string> list;
    fx.for_each_message(NodeId{0}, 0, [&](NodeId to, const auto& message) {
      list.push_back(fmt::format("{} {}", to, to_text(message)));
    });
    fx.clear();
    return list;
  }
};
const auto kPeer = [](std::uint32_t i) { return NodeId{i}; };

TEST(RingElection, EachMemberAddsItselfAndTheStarterPicksTheHighest) {
  OneOnTheRing one{1, 3};
  one.member.receive(kPeer(0), RingElection::Election{{Term{1}, kPeer(0)}, {kPeer(0)}}, one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#2 ELECTION(ballot=1 of #0 ids=[#0,#1])"));
  OneOnTheRing starter{0, 3};
  starter.member.campaign(starter.fx);
  starter.fx.clear();
  const RingElection::Election back{{Term{1}, kPeer(0)}, {kPeer(0), kPeer(1), kPeer(2)}};
  starter.member.receive(kPeer(2), back, starter.fx);
  EXPECT_THAT(starter.fx.reasons(),
              ElementsAre("#0 announces #2: the highest of the 3 that were passed"));
  EXPECT_EQ(starter.member.leader(), kPeer(2));
}

TEST(RingElection, TheStarterStartsAgainWhenAnybodyFalls) {
  OneOnTheRing one{0, 5};
  one.member.campaign(one.fx);
  one.fx.clear();
  one.member.suspect(kPeer(3), one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#1 ELECTION(ballot=2 of #0 ids=[#0])"));
}

TEST(RingElection, WhoPassedItToTheFallenOneStartsAgain) {
  OneOnTheRing one{1, 5};
  one.member.receive(kPeer(0), RingElection::Election{{Term{1}, kPeer(0)}, {kPeer(0)}}, one.fx);
  one.fx.clear();
  one.member.suspect(kPeer(3), one.fx);
  EXPECT_THAT(one.sends(), ElementsAre());
  one.member.suspect(kPeer(2), one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#4 ELECTION(ballot=2 of #1 ids=[#1])"));
}

TEST(RingElection, TheNewsIsPassedAgainPastAFallenSuccessor) {
  OneOnTheRing one{1, 5};
  one.member.receive(kPeer(0), RingElection::Coordinator{{Term{1}, kPeer(0)}, kPeer(4)}, one.fx);
  EXPECT_EQ(one.sends().size(), 1U);
  one.member.suspect(kPeer(2), one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#3 COORDINATOR(ballot=1 of #0 leader=#4)"));
  // A second copy ends at the first member that has it.
  one.member.receive(kPeer(0), RingElection::Coordinator{{Term{1}, kPeer(0)}, kPeer(4)}, one.fx);
  EXPECT_THAT(one.sends(), ElementsAre());
}

TEST(RingElection, AMemberBackNextDoorCallsForAnElection) {
  OneOnTheRing one{1, 4};
  one.member.suspect(kPeer(2), one.fx);
  one.member.suspect(kPeer(0), one.fx);
  one.member.restore(kPeer(0), one.fx);
  EXPECT_THAT(one.sends(), ElementsAre());
  one.member.restore(kPeer(2), one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#2 ELECTION(ballot=1 of #1 ids=[#1])"));
}

TEST(RingElection, RejectsMessagesThatNameNoMember) {
  const std::vector<RingElection::Message> bad{
      RingElection::Election{{Term{1}, kPeer(0)}, {}},
      RingElection::Election{{Term{1}, kPeer(0)}, {kPeer(2)}},
      RingElection::Election{{Term{1}, kPeer(0)}, {kPeer(0), kPeer(9)}},
      RingElection::Coordinator{{Term{1}, kPeer(0)}, kPeer(9)},
      RingElection::Coordinator{{Term{1}, kPeer(9)}, kPeer(2)}};
  for (const auto& message : bad) {
    OneOnTheRing one{1, 3};
    one.member.receive(kPeer(0), message, one.fx);
    EXPECT_EQ(one.fx.rejected(), Reject::not_a_member) << to_text(message);
    EXPECT_THAT(one.sends(), ElementsAre());
  }
}

TEST(RingElection, MessagesAndStateSurviveTheCodec) {
  const std::vector<RingElection::Message> messages{
      RingElection::Election{{Term{5}, kPeer(1)}, {kPeer(1), kPeer(2), kPeer(200)}},
      RingElection::Coordinator{{Term{5}, kPeer(1)}, kPeer(200)}};
  for (const auto& message : messages) {
    const Bytes bytes = encode(message);
    EXPECT_EQ(decode<RingElection::Message>(bytes), message);
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      EXPECT_FALSE(decode<RingElection::Message>(std::span{bytes}.first(cut)).has_value());
    }
  }
  OneOnTheRing one{1, 4}, copy{1, 4};
  one.member.suspect(kPeer(3), one.fx);
  one.member.campaign(one.fx);
  EXPECT_FALSE(one.member == copy.member);
  const Bytes bytes = encode(one.member);
  Decoder decoder{bytes};
  ASSERT_TRUE(decoder.read(copy.member) && decoder.at_end());
  EXPECT_TRUE(one.member == copy.member);
}

}  // namespace
}  // namespace hapax
