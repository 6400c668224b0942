#include "direct_zookeeper/spelling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax::direct {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> nodes_of(const std::vector<std::string>& nodes) {
  std::vector<std::string> line;
  for (const Spelled& one : line_of(nodes)) line.push_back(one.node);
  return line;
}

TEST(Spelling, ContendersOfAllProgramsAreOneLine) {
  EXPECT_THAT(nodes_of({"_c_b-lock-0000000007", "0f__lock__0000000003", "42", "config",
                        "_c_a-latch-0000000005", "_c_r-__READ__0000000001", "lock-0000000002"}),
              ElementsAre("_c_r-__READ__0000000001", "lock-0000000002", "0f__lock__0000000003",
                          "_c_a-latch-0000000005", "_c_b-lock-0000000007"));
}

TEST(Spelling, OneOfOursIsOneHoweverManyNodesItHas) {
  const Contender contender{.name = "a", .value = ""};
  std::vector<std::string> nodes;
  int number = 4;
  for (const std::string& node : spellings_of(contender, "guid")) {
    nodes.push_back(node + "000000000" + std::to_string(number++));
  }
  EXPECT_EQ(nodes.size(), 3u);
  nodes.push_back("x__lock__0000000003");
  nodes.push_back("x__lock__0000000009");
  nodes.push_back("y__lock__0000000008");
  EXPECT_THAT(nodes_of(nodes),
              ElementsAre("x__lock__0000000003", "_c_guid-lock-0000000004", "y__lock__0000000008"));
}

TEST(Spelling, TheNumberWrapsRound) {
  EXPECT_THAT(nodes_of({"a__lock__-2147483648", "_c_b-lock-2147483647", "_c_c-lock--2147483646",
                        "_c_d-latch-2147483646"}),
              ElementsAre("_c_d-latch-2147483646", "_c_b-lock-2147483647", "a__lock__-2147483648",
                          "_c_c-lock--2147483646"));
}

TEST(Spelling, AReaderWaitsForWritersOnly) {
  const auto line = line_of({"_c_w-__WRIT__0000000001", "_c_r-__READ__0000000002",
                             "_c_s-__READ__0000000003", "_c_x-lock-0000000004"});
  EXPECT_EQ(before(line, "_c_w-", Want::exclusive), "");
  EXPECT_EQ(before(line, "_c_s-", Want::shared), "_c_w-__WRIT__0000000001");
  EXPECT_EQ(before(line, "_c_x-", Want::exclusive), "_c_s-__READ__0000000003");
  EXPECT_EQ(before(line, "_c_none-", Want::exclusive), std::nullopt);
}

}  // namespace
}  // namespace hapax::direct
