#include "world/chronicle.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "world/play.h"

namespace hapax {
namespace {

using Kind = Happening::Kind;

std::vector<Chronicle> scenes_of(const std::string& commands) {
  const Result<Script> script = Script::parse(commands + "\n----\n");
  EXPECT_TRUE(script.has_value());
  return perform(*script)->scenes;
}

std::vector<Happening> all_of(const Chronicle& chronicle, Kind kind) {
  std::vector<Happening> found;
  for (const Happening& h : chronicle.happenings) {
    if (h.kind == kind) found.push_back(h);
  }
  return found;
}

TEST(Chronicle, HasAnEntryWithItsFenceAndAnExit) {
  const Chronicle c = scenes_of("nodes ricart-agrawala A B\nrequest A\nstabilize\nrelease A").at(0);
  EXPECT_EQ(c.algorithm, "ricart-agrawala");
  EXPECT_EQ(c.names, (std::vector<std::string>{"A", "B"}));
  ASSERT_EQ(all_of(c, Kind::enter).size(), 1u);
  const Happening enter = all_of(c, Kind::enter)[0];
  EXPECT_EQ(enter.node, NodeId{0});
  EXPECT_EQ(enter.fence, (Fence{Epoch{1}, Turn{2}}));
  EXPECT_EQ(enter.clock, Clock{1});
  EXPECT_EQ(all_of(c, Kind::request).size(), 1u);
  EXPECT_EQ(all_of(c, Kind::leave).size(), 1u);
}

TEST(Chronicle, AMessageIsKnownByItsNumberWhateverBecomesOfIt) {
  const Chronicle c = scenes_of(
                          "nodes ricart-agrawala A B C\nrequest A\ndup A->B\ndeliver A->B 2\n"
                          "drop A->B\ndeliver A->C\nstabilize")
                          .at(0);
  std::map<MessageId, int> sent;
  for (const Happening& h : c.happenings) {
    if (h.kind == Kind::send || h.kind == Kind::copied) ++sent[h.message];
    if (h.kind == Kind::receive || h.kind == Kind::lost) {
      EXPECT_EQ(sent[h.message]--, 1) << "message " << number(h.message);
    }
  }
  ASSERT_EQ(all_of(c, Kind::copied).size(), 1u);
  const Happening copied = all_of(c, Kind::copied)[0];
  EXPECT_NE(copied.message, copied.original);
  EXPECT_EQ(all_of(c, Kind::receive)[0].message, copied.message) << "the copy overtook";
  EXPECT_EQ(all_of(c, Kind::lost)[0].message, copied.original);
}

TEST(Chronicle, TheNthMessageOfALinkCanBeDroppedOrDoubled) {
  const Result<Script> script = Script::parse(
      "nodes lamport A B\nrequest A\nrequest B\ndeliver B->A\ndrop A->B 2\ndup A->B 2\n----\n");
  const Result<Script> played = play(*script);
  const std::vector<std::string>& lines = played->blocks[0].outcome;
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines[lines.size() - 2], "REPLY(clock=2) from A to B is lost");
  EXPECT_EQ(lines.back(), "error: nothing is under way on A->B");
}

TEST(Chronicle, SaysWhoKeepsWhomWaiting) {
  const Chronicle c =
      scenes_of("nodes ricart-agrawala A B\nrequest A\nrequest B\ndeliver B->A").at(0);
  ASSERT_EQ(all_of(c, Kind::defer).size(), 1u);
  EXPECT_EQ(all_of(c, Kind::defer)[0].node, NodeId{0});
  EXPECT_EQ(all_of(c, Kind::defer)[0].peer, NodeId{1});
}

TEST(Chronicle, WhoStartsInsideHasEntered) {
  const Chronicle c = scenes_of("nodes central A B holder=B held\nrelease B").at(0);
  ASSERT_EQ(all_of(c, Kind::enter).size(), 1u);
  EXPECT_EQ(all_of(c, Kind::enter)[0].node, NodeId{1});
  EXPECT_FALSE(all_of(c, Kind::enter)[0].fence.has_value());
}

TEST(Chronicle, EachCallForNodesBeginsAScene) {
  const auto scenes = scenes_of("nodes central A B\nrequest A\nnodes lamport C D\nrequest D");
  ASSERT_EQ(scenes.size(), 2u);
  EXPECT_EQ(scenes[0].algorithm, "central");
  EXPECT_EQ(scenes[1].names, (std::vector<std::string>{"C", "D"}));
}

TEST(Chronicle, CommentsAreToldBeforeTheirCommands) {
  const Chronicle c = scenes_of("# First,\n# of two lines.\nnodes central A B\nrequest A").at(0);
  EXPECT_EQ(c.happenings.front().kind, Kind::comment);
  EXPECT_EQ(c.happenings.front().text, "First, of two lines.");
}

TEST(Chronicle, LeadersComeAndGo) {
  const Chronicle c =
      scenes_of("nodes bully A B\ncampaign B\nstabilize\ncrash B\nsuspect A B").at(0);
  const std::vector<Happening> leaders = all_of(c, Kind::leader);
  ASSERT_GE(leaders.size(), 3u);
  EXPECT_EQ(leaders[0].peer, NodeId{1});
  EXPECT_EQ(leaders.back().node, NodeId{0});
  EXPECT_EQ(leaders.back().peer, NodeId{0});
  EXPECT_EQ(all_of(c, Kind::crash).size(), 1u);
}

TEST(Chronicle, WhatTheGateRefusesIsMarked) {
  const Chronicle c = scenes_of(
                          "nodes ricart-agrawala A B\naccount 10 gated\nrequest A\nstabilize\n"
                          "read A\nrelease A\nrequest B\nstabilize\nread B\ndeposit A 5")
                          .at(0);
  const std::vector<Happening> storage = all_of(c, Kind::storage);
  ASSERT_EQ(storage.size(), 4u);
  EXPECT_FALSE(storage[2].refused);
  EXPECT_TRUE(storage[3].refused);
}

}  // namespace
}  // namespace hapax
