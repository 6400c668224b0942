#include "election/bully.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "election/testing/small_world.h"
#include "wire/codec.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum BullyMessage : std::size_t { kElection, kOk, kCoordinator };

// The leader of `size` members is down, as all know, and `starter` notices.
SmallWorld<Bully> election_of(std::uint32_t size, std::uint32_t starter) {
  SmallWorld<Bully> world{size};
  world.be_down(size - 1);
  world.campaign(starter);
  world.deliver_all();
  EXPECT_EQ(world.complaint(), "");
  return world;
}

TEST(BullyPaper, BestCaseSecondHighestNoticesAndTellsAllOthers) {
  for (const std::uint32_t n : {2U, 3U, 10U, 64U, 100U}) {
    const auto world = election_of(n, n - 2);
    EXPECT_EQ(world.sent(), n - 2) << n;
    EXPECT_EQ(world.sent(kCoordinator), n - 2) << n;
  }
  EXPECT_EQ(election_of(10, 8).sent(), 8U);
}

TEST(BullyPaper, WorstCaseLowestNoticesAndEverybodyHoldsAnElection) {
  for (const std::uint32_t n : {2U, 3U, 10U, 30U}) {
    const auto world = election_of(n, 0);
    EXPECT_EQ(world.sent(kElection), (n - 1) * (n - 2) / 2) << n;
    EXPECT_EQ(world.sent(kOk), (n - 1) * (n - 2) / 2) << n;
    EXPECT_EQ(world.sent(kCoordinator), n - 2) << n;
    EXPECT_EQ(world.sent(), n * (n - 2)) << n;
  }
  EXPECT_EQ(election_of(10, 0).sent(), 80U);
}

TEST(BullyPaper, ResultDoesNotDependOnWhoStarts) {
  for (std::uint32_t starter = 0; starter < 9; ++starter) {
    EXPECT_EQ(election_of(10, starter).member(0).leader(), NodeId{8});
  }
}

TEST(BullyPaper, AMemberAloneLeadsWithoutAMessage) {
  SmallWorld<Bully> world{1};
  world.campaign(0);
  EXPECT_EQ(world.member(0).leader(), NodeId{0});
  EXPECT_EQ(world.sent(), 0U);
}

struct OneBully {
  Bully member;
  Effects<Bully::Message> fx;

  OneBully(std::uint32_t self, std::uint32_t size)
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

TEST(Bully, AsksOnlyThoseThatOutrankItAndAreNotDown) {
  OneBully one{1, 4};
  one.member.suspect(NodeId{3}, one.fx);
  one.member.campaign(one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#2 ELECTION(term=1)"));
  EXPECT_TRUE(one.member.is_open());
  one.member.campaign(one.fx);
  EXPECT_THAT(one.sends(), ElementsAre());
}

TEST(Bully, TheFallOfOneThatWasAskedCallsForALaterTerm) {
  OneBully one{1, 3};
  one.member.campaign(one.fx);
  one.fx.clear();
  one.member.suspect(NodeId{2}, one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#0 COORDINATOR(term=2)"));
  EXPECT_EQ(one.member.leader(), NodeId{1});
}

TEST(Bully, AReturningMemberIsToldOrAsked) {
  OneBully one{1, 3};
  one.member.suspect(NodeId{0}, one.fx);
  one.member.suspect(NodeId{2}, one.fx);
  one.member.campaign(one.fx);
  EXPECT_THAT(one.sends(), ElementsAre());
  one.member.restore(NodeId{0}, one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#0 COORDINATOR(term=1)"));
  one.member.restore(NodeId{2}, one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#2 ELECTION(term=2)"));
  EXPECT_EQ(one.member.leader(), std::nullopt);
}

TEST(Bully, BelievesNoLeaderWhileAHigherOneMayLive) {
  OneBully one{0, 3};
  one.member.receive(NodeId{1}, Bully::Coordinator{Term{1}}, one.fx);
  EXPECT_EQ(one.member.leader(), std::nullopt);
  EXPECT_THAT(one.fx.reasons(),
              ElementsAre("#0 ignores #1: #2 outranks it and is not known to be down"));
  one.member.suspect(NodeId{2}, one.fx);
  one.member.receive(NodeId{1}, Bully::Coordinator{Term{1}}, one.fx);
  EXPECT_EQ(one.member.leader(), NodeId{1});
}

TEST(Bully, ALeaderFromAnOldTermHasToWinAgain) {
  OneBully one{0, 2};
  one.member.suspect(NodeId{1}, one.fx);
  one.member.campaign(one.fx);
  one.member.campaign(one.fx);
  one.fx.clear();
  one.member.receive(NodeId{1}, Bully::Coordinator{Term{1}}, one.fx);  // Not yet restored here.
  EXPECT_EQ(one.member.leader(), NodeId{0});
  one.member.restore(NodeId{1}, one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#1 ELECTION(term=3)"));
  one.member.receive(NodeId{1}, Bully::Coordinator{Term{1}}, one.fx);
  EXPECT_EQ(one.member.leader(), std::nullopt);
  one.member.receive(NodeId{1}, Bully::Coordinator{Term{3}}, one.fx);
  EXPECT_EQ(one.member.leader(), NodeId{1});
}

TEST(Bully, RejectsWhatOnlyAnotherRankMaySend) {
  for (const auto& [from, message] :
       {std::pair<std::uint32_t, Bully::Message>{2, Bully::Election{Term{1}}},
        {0, Bully::Ok{Term{1}}},
        {0, Bully::Coordinator{Term{1}}}}) {
    OneBully one{1, 3};
    one.member.receive(NodeId{from}, message, one.fx);
    EXPECT_EQ(one.fx.rejected(), Reject::not_a_member) << to_text(message);
    EXPECT_TRUE(one.sends().empty());
  }
}

TEST(Bully, MessagesAndStateSurviveTheCodec) {
  for (const Bully::Message& message : {Bully::Message{Bully::Election{Term{7}}},
                                        {Bully::Ok{Term{300}}},
                                        {Bully::Coordinator{Term{1}}}}) {
    EXPECT_EQ(decode<Bully::Message>(encode(message)), message);
  }
  EXPECT_EQ(encode(Bully::Message{Bully::Ok{Term{300}}}), (Bytes{1, 0xac, 0x02}));
  OneBully one{1, 4}, copy{1, 4};
  one.member.suspect(NodeId{3}, one.fx);
  one.member.campaign(one.fx);
  EXPECT_FALSE(one.member == copy.member);
  const Bytes bytes = encode(one.member);
  Decoder decoder{bytes};
  ASSERT_TRUE(decoder.read(copy.member) && decoder.at_end());
  EXPECT_TRUE(one.member == copy.member);
}

}  // namespace
}  // namespace hapax
