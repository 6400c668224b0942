#include "election/chang_roberts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "election/catalog.h"
#include "election/testing/small_world.h"
#include "wire/codec.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;

constexpr ChangRoberts::Options kDescending{.direction = Direction::descending};

TEST(ChangRobertsPaper, OneStarterTwoNPlusTheHopsToTheHighest) {
  for (const std::uint32_t n : {2U, 3U, 10U, 100U}) {
    for (std::uint32_t starter = 0; starter < n; ++starter) {
      SmallWorld<ChangRoberts> world{n};
      world.campaign(starter);
      world.deliver_all();
      EXPECT_EQ(world.complaint(), "");
      EXPECT_EQ(world.sent(), 2 * n + (n - 1 - starter));
    }
  }
}

TEST(ChangRobertsPaper, OneStarterCostsFromTwoNToThreeNMinusOne) {
  const auto cost = [](std::uint32_t starter) {
    SmallWorld<ChangRoberts> world{10};
    world.campaign(starter);
    world.deliver_all();
    return world.sent();
  };
  EXPECT_EQ(cost(9), 20U);
  EXPECT_EQ(cost(0), 29U);
}

TEST(ChangRobertsPaper, AllStartInTheWorstOrder) {
  for (const std::uint32_t n : {2U, 3U, 5U, 10U, 40U}) {
    SmallWorld<ChangRoberts> world{n, kDescending};
    for (std::uint32_t i = 0; i < n; ++i) world.campaign(i);
    world.deliver_all();
    EXPECT_EQ(world.complaint(), "");
    EXPECT_EQ(world.sent(), n * (n + 1) / 2 + n) << n;
  }
}

TEST(ChangRobertsPaper, AllStartInTheBestOrder) {
  for (const std::uint32_t n : {2U, 3U, 5U, 10U, 40U}) {
    SmallWorld<ChangRoberts> world{n};
    for (std::uint32_t i = 0; i < n; ++i) world.campaign(i);
    world.deliver_all();
    EXPECT_EQ(world.complaint(), "");
    EXPECT_EQ(world.sent(), 3 * n - 1) << n;
  }
}

struct OneChangRoberts {
  ChangRoberts member;
  Effects<ChangRoberts::Message> fx;

  OneChangRoberts(std::uint32_t self, std::uint32_t size)
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
  void gets(std::uint32_t candidate, std::uint64_t term = 1) {
    member.receive(NodeId{0}, ChangRoberts::Election{Term{term}, NodeId{candidate}}, fx);
  }
};

TEST(ChangRoberts, AHigherIdPassesALowerOneIsReplacedOnce) {
  OneChangRoberts one{2, 5};
  one.gets(4);
  EXPECT_THAT(one.sends(), ElementsAre("#3 ELECTION(term=1 candidate=#4)"));
  one.gets(1);
  EXPECT_THAT(one.sends(), ElementsAre("#3 ELECTION(term=1 candidate=#2)"));
  one.gets(0);
  EXPECT_THAT(one.sends(), ElementsAre());
  one.gets(2);
  EXPECT_THAT(one.sends(), ElementsAre("#3 COORDINATOR(term=1 leader=#2)"));
}

TEST(ChangRoberts, ItsOwnIdFromBeforeItLostItsMemoryDoesNotWin) {
  OneChangRoberts one{2, 3};
  one.gets(2);
  EXPECT_EQ(one.member.leader(), std::nullopt);
  EXPECT_THAT(one.sends(), ElementsAre("#0 ELECTION(term=1 candidate=#2)"));
}

TEST(ChangRoberts, TheIdOfAFallenMemberStopsHere) {
  OneChangRoberts one{1, 4};
  one.member.suspect(NodeId{3}, one.fx);
  one.gets(3);
  EXPECT_THAT(one.sends(), ElementsAre());
  EXPECT_FALSE(one.member.is_open());
}

TEST(ChangRoberts, WhoTookPartStartsAgainWhenAnybodyFalls) {
  OneChangRoberts one{1, 4};
  one.gets(3);
  one.fx.clear();
  one.member.suspect(NodeId{2}, one.fx);
  EXPECT_THAT(one.sends(), ElementsAre("#3 ELECTION(term=2 candidate=#1)"));
}

TEST(ChangRoberts, NeverFollowsALowerOne) {
  OneChangRoberts one{2, 4};
  one.member.receive(NodeId{1}, ChangRoberts::Coordinator{Term{1}, NodeId{1}}, one.fx);
  EXPECT_EQ(one.member.leader(), std::nullopt);
  EXPECT_THAT(one.sends(), ElementsAre("#3 ELECTION(term=2 candidate=#2)"));
}

TEST(ChangRoberts, RejectsMessagesThatNameNoMember) {
  OneChangRoberts one{1, 3};
  one.gets(7);
  EXPECT_EQ(one.fx.rejected(), Reject::not_a_member);
  one.fx.clear();
  one.member.receive(NodeId{0}, ChangRoberts::Coordinator{Term{1}, NodeId{3}}, one.fx);
  EXPECT_EQ(one.fx.rejected(), Reject::not_a_member);
}

TEST(ChangRoberts, MessagesAndStateSurviveTheCodec) {
  const std::vector<ChangRoberts::Message> messages{
      ChangRoberts::Election{Term{5}, NodeId{200}},
      ChangRoberts::Coordinator{Term{300}, NodeId{0}}};
  for (const auto& message : messages)
    EXPECT_EQ(decode<ChangRoberts::Message>(encode(message)), message);
  EXPECT_EQ(encode(messages[0]), (Bytes{0, 5, 0xc8, 0x01}));
  OneChangRoberts one{1, 4}, copy{1, 4};
  one.gets(3);
  EXPECT_FALSE(one.member == copy.member);
  const Bytes bytes = encode(one.member);
  Decoder decoder{bytes};
  ASSERT_TRUE(decoder.read(copy.member) && decoder.at_end());
  EXPECT_TRUE(one.member == copy.member);
}

TEST(ElectionCatalog, FindsEachByItsName) {
  std::vector<std::string_view> names;
  for_each_election([&]<ElectionAlgorithm A>() { names.push_back(A::kInfo.name); });
  EXPECT_THAT(names, ElementsAre("bully", "ring-election", "chang-roberts"));
  for (const auto name : names) {
    std::string_view found;
    EXPECT_TRUE(with_election(name, [&]<class A>() { found = A::kInfo.name; }));
    EXPECT_EQ(found, name);
  }
  EXPECT_FALSE(with_election("lottery", []<class A>() { FAIL(); }));
}

}  // namespace
}  // namespace hapax
