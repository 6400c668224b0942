// A long trace with a violation becomes a short one with the same kind of violation.
#include "world/minimise.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace hapax {
namespace {

Script script_of(const std::string& text) { return Script::parse(text).value(); }

Script file(const std::string& name) {
  std::ifstream stream{std::filesystem::path{HAPAX_SOURCE} / name};
  return script_of({std::istreambuf_iterator<char>{stream}, {}});
}

std::vector<std::string> commands_of(const Script& script) {
  std::vector<std::string> commands;
  for (const ScriptBlock& block : script.blocks) {
    commands.insert(commands.end(), block.commands.begin(), block.commands.end());
  }
  return commands;
}

Flaw::Kind flaw(const Script& script) { return flaw_of(perform(script).value()).kind; }

using Commands = std::vector<std::string>;

// An entry before it all and the exits after it have nothing to do with the two inside.
TEST(Minimise, LeavesWhatTheViolationNeeds) {
  const Script script = script_of(
      "nodes lamport P1 P2 P3\n----\n\n"
      "request P1\nstabilize\nrelease P1\nstabilize\n----\n\n"
      "request P1\nrequest P2\nrequest P3\ndeliver P2->P1\ndeliver P1->P2 2\ndeliver P3->P1\n"
      "----\n\n"
      "deliver P3->P2\nrelease P1\nstabilize\nrelease P2\nstabilize\n----\n");
  ASSERT_EQ(flaw(script), Flaw::Kind::exclusion);
  const Minimised less = minimise(script).value();
  EXPECT_EQ(less.flaw.kind, Flaw::Kind::exclusion);
  EXPECT_EQ(less.flaw.text, "P2 enters while P1 is inside");
  EXPECT_EQ(less.steps_before, 15u);
  EXPECT_EQ(less.steps_after, 7u);
  EXPECT_EQ(flaw(less.script), Flaw::Kind::exclusion) << "it plays again";
  for (const ScriptBlock& block : less.script.blocks) {
    for (const std::string& line : block.outcome) EXPECT_FALSE(line.starts_with("error")) << line;
  }
}

TEST(Minimise, LeavesNoStepThatCouldGo) {
  const Script less = minimise(file("mutex/testdata/lamport-overtaken.trace"))->script;
  for (std::size_t i = 1; i < less.blocks.size(); ++i) {
    Script without = less;
    without.blocks.erase(without.blocks.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(flaw(without), Flaw::Kind::exclusion) << less.blocks[i].commands[0];
  }
}

TEST(Minimise, ChangesNothingOfWhatIsShortest) {
  const Script once = minimise(file("mutex/testdata/lamport-overtaken.trace"))->script;
  const Minimised twice = minimise(once).value();
  EXPECT_EQ(twice.script.text(), once.text());
  EXPECT_EQ(twice.steps_after, twice.steps_before);
}

// Those who ask later wait, too, but one waiting for ever is enough.
TEST(Minimise, KeepsOneThatWaitsForEver) {
  const Minimised less = minimise(script_of("nodes ricart-agrawala P1 P2 P3\n----\n\n"
                                            "request P3\nstabilize\nrelease P3\ncrash P3\n"
                                            "request P1\nrequest P2\nstabilize\n----\n"))
                             .value();
  EXPECT_EQ(less.flaw.kind, Flaw::Kind::dead_end);
  EXPECT_EQ(less.flaw.text, "P1 waits for ever: no message is under way, nobody is inside");
  EXPECT_EQ(commands_of(less.script),
            (Commands{"nodes ricart-agrawala P1 P2 P3", "crash P3", "request P1", "stabilize"}));
}

TEST(Minimise, KeepsTheKindOfTheFlaw) {
  // The copy of a grant lets P2 in a second time with a fence that was used up.
  const Minimised less = minimise(script_of("nodes central P1 P2\n----\n\n"
                                            "request P1\nrelease P1\n"
                                            "request P2\ndeliver P2->P1\ndup P1->P2\n"
                                            "deliver P1->P2\nrelease P2\nrequest P2\n"
                                            "deliver P1->P2\n----\n"))
                             .value();
  EXPECT_EQ(less.flaw.kind, Flaw::Kind::fence);
  EXPECT_EQ(less.steps_after, 7u);
}

TEST(Minimise, TwoLeaders) {
  const Minimised less = minimise(file("election/testdata/bully-partition.trace")).value();
  EXPECT_EQ(less.flaw.kind, Flaw::Kind::two_leaders);
  EXPECT_LT(less.steps_after, less.steps_before);
}

TEST(Minimise, CommentsStayWithTheirStep) {
  const Minimised less = minimise(script_of("# Of three, one has crashed.\n"
                                            "nodes lamport P1 P2\n----\n\n"
                                            "# Nobody needs this.\nrequest P2\nstabilize\n"
                                            "release P2\nstabilize\n----\n\n"
                                            "# It falls.\ncrash P2\n----\n\n"
                                            "request P1\n----\n"))
                             .value();
  const std::string text = less.script.text();
  EXPECT_NE(text.find("# Of three, one has crashed.\n"), std::string::npos);
  EXPECT_NE(text.find("# It falls.\ncrash P2\n"), std::string::npos);
  EXPECT_EQ(text.find("Nobody needs this"), std::string::npos);
}

TEST(Minimise, RefusesWhatIsFine) {
  EXPECT_FALSE(minimise(script_of("nodes lamport P1 P2\n----\n\nrequest P1\nstabilize\n----\n")));
  EXPECT_FALSE(minimise(script_of("request P1\n----\n"))) << "it cannot be played";
}

}  // namespace
}  // namespace hapax
