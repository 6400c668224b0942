// Every *.trace beside the code it is about is played and must come out as written.
// `hapax_world_test --rewrite` writes what comes out instead; read the diff before you commit it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "world/play.h"
#include "world/script.h"

namespace hapax {
namespace {

namespace fs = std::filesystem;

bool rewrite = false;

std::vector<fs::path> trace_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(HAPAX_SOURCE)) {
    if (entry.path().extension() == ".trace") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const fs::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

class TraceTest : public ::testing::TestWithParam<fs::path> {};

TEST_P(TraceTest, ComesOutAsWritten) {
  const std::string written = read(GetParam());
  const Result<Script> script = Script::parse(written);
  ASSERT_TRUE(script.has_value()) << script.error().message;
  ASSERT_FALSE(script->blocks.empty());
  const Result<Script> played = play(*script);
  ASSERT_TRUE(played.has_value()) << played.error().message;
  if (rewrite) {
    std::ofstream{GetParam()} << played->text();
    return;
  }
  EXPECT_EQ(played->text(), written);
}

INSTANTIATE_TEST_SUITE_P(
    Traces, TraceTest, ::testing::ValuesIn(trace_files()), [](const auto& trace) {
      std::string name = trace.param.stem().string();
      std::replace_if(
          name.begin(), name.end(),
          [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
      return name;
    });

std::string error_of(const std::string& nodes) {
  const Result<Script> played = play(*Script::parse(nodes + "\n----\n"));
  return played ? "" : played.error().message;
}

TEST(Nodes, AreRefusedWhatTheirAlgorithmDoesNotTake) {
  EXPECT_EQ(error_of("nodes central A B holder=B held say-denied"), "");
  EXPECT_EQ(error_of("nodes chang-roberts A B descending"), "");
  EXPECT_NE(error_of("nodes lamport A B say-denied").find("takes no say-denied"),
            std::string::npos);
  EXPECT_NE(error_of("nodes lamport A B units=2").find("takes no units"), std::string::npos);
  EXPECT_NE(error_of("nodes raymond A B voting-sets=grid").find("takes no voting-sets"),
            std::string::npos);
  EXPECT_NE(error_of("nodes raymond A B descending").find("takes no descending"),
            std::string::npos);
  EXPECT_NE(error_of("nodes bully A B held").find("takes no holder"), std::string::npos);
}

TEST(Nodes, ThatNoRunLeadsToAreAnErrorAndNotTheEnd) {
  // Inside, and its own request not in its queue.
  const std::string error = error_of("nodes lamport A B state=A:0101020000\nrelease A");
  EXPECT_TRUE(error.starts_with("line 1: no run leads to the states that this trace begins with: "))
      << error;
}

TEST(Nodes, HaveDifferentNames) {
  EXPECT_EQ(error_of("nodes central A A"), "line 1: two nodes have the same name");
}

TEST(Account, HoldsNoMoreThanCanBeCounted) {
  const auto played = play(
      *Script::parse("nodes central A\naccount 18446744073709551615\naccount 1000000000\nread A\n"
                     "deposit A 9223372036854775807\nbalance\n----\n"));
  ASSERT_TRUE(played.has_value());
  EXPECT_EQ(played->blocks[0].outcome[0],
            "error: $18446744073709551615 is too much; use at most $1000000000");
  EXPECT_EQ(played->blocks[0].outcome.back(), "the account holds $1000000000");
}

TEST(Nodes, HaveNames) {
  EXPECT_NE(error_of("nodes central held").find("nodes ALGORITHM NAME"), std::string::npos);
  EXPECT_NE(error_of("nodes bully descending").find("nodes ALGORITHM NAME"), std::string::npos);
}

// Found by fuzzing: such a line was taken for a command without words.
TEST(TraceFiles, ALineOfBlanksIsEmpty) {
  const auto script = Script::parse("nodes central A B\n \t\nrequest A\n----\n");
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().message, "line 2: expected ---- after the commands of line 1");
}

TEST(TraceFiles, EveryWorkedExampleIsThere) { EXPECT_GE(trace_files().size(), 12u); }

}  // namespace
}  // namespace hapax

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string{argv[i]} == "--rewrite") hapax::rewrite = true;
  }
  return RUN_ALL_TESTS();
}
