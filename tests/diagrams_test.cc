// Traces as people use them: `hapax trace`, `hapax replay`, `hapax sim … --trace`; and the diagrams
// of the documents are what the traces look like now.
#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <regex>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "cli_testing.h"
#include "process_testing.h"

namespace {

namespace fs = std::filesystem;
using hapax::testing::contents_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<fs::path> files_below(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path{HAPAX_ROOT} / folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Traces : public hapax::testing::Cli {
 protected:
  // From the root of the source, as the examples are written.
  Finished hapax(const std::string& arguments) const override {
    return shell("cd " HAPAX_ROOT " && '" HAPAX_BINARY "' " + arguments);
  }
  std::string path(const std::string& name) const { return folder() + "/" + name; }
};

constexpr const char* kExample = "src/mutex/testdata/request-5-and-3.trace";

TEST_F(Traces, AreDrawnForTheTerminalUnlessTold) {
  const Finished drawn = hapax(std::string{"trace "} + kExample);
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_THAT(drawn.out, HasSubstr("P2 defers P1: own (3,P2) precedes (5,P1)"));
  EXPECT_EQ(hapax(std::string{"trace --ascii "} + kExample).out, drawn.out);
  EXPECT_EQ(hapax(std::string{"trace - <"} + kExample).out, drawn.out) << "from standard input";
}

TEST_F(Traces, AreWrittenInEveryForm) {
  const Finished svg = hapax(std::string{"trace --svg -o '"} + path("a.svg") + "' " + kExample);
  EXPECT_EQ(svg.status, 0) << svg.err;
  EXPECT_EQ(svg.out, "");
  EXPECT_THAT(contents_of(path("a.svg")), StartsWith("<svg "));
  EXPECT_THAT(hapax(std::string{"trace --shiviz "} + kExample).out, HasSubstr("P1 {\"P1\": 1}"));
  const auto object = boost::json::parse(hapax(std::string{"trace --json "} + kExample).out);
  EXPECT_EQ(object.at("scenes").at(0).at("algorithm"), "ricart-agrawala");
}

TEST_F(Traces, ReplayPrintsEveryBlock) {
  const Finished played = hapax(std::string{"replay "} + kExample);
  EXPECT_EQ(played.status, 0) << played.err;
  EXPECT_THAT(played.out, HasSubstr("> deliver P2->P1\n> deliver P1->P2\n  P1 replies to P2"));
  EXPECT_EQ(played.err, "") << "nobody is asked to press a key";
}

TEST_F(Traces, ReplayChecksWhatIsWritten) {
  for (const fs::path& trace : files_below("src", ".trace")) {
    EXPECT_EQ(hapax("replay --check " + trace.string()).status, 0) << trace;
  }
  const std::string wrong =
      file("wrong.trace", "nodes ricart-agrawala A B\nrequest A\n----\nA asks nobody\n");
  const Finished checked = hapax("replay --check " + wrong);
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.out, HasSubstr("line 4\n  written: A asks nobody\n  played:  A asks every"));
  EXPECT_EQ(hapax("replay " + wrong).status, 0) << "only --check looks at it";
}

TEST_F(Traces, ReplayMinimisesAViolatingRun) {
  const std::string run = path("run.trace");
  EXPECT_EQ(
      hapax("sim lamport -n 5 --load high --unordered --latency exp:1ms --trace " + run).status, 1);
  const Finished less = hapax("replay --minimise " + run);
  EXPECT_EQ(less.status, 0) << less.err;
  EXPECT_THAT(less.out, StartsWith("# hapax sim lamport -n 5 "));
  EXPECT_THAT(less.out, HasSubstr("# exclusion violated after 16 steps, minimised from 2000: "));
  EXPECT_EQ(hapax("replay --check " + file("less.trace", less.out)).status, 0);
  EXPECT_EQ(hapax("replay --minimise -o " + path("again.trace") + " " + path("less.trace")).out,
            "");
  EXPECT_THAT(contents_of(path("again.trace")), HasSubstr("after 16 steps, minimised from 16"));

  expect_refused(std::string{"replay --minimise "} + kExample, "the trace shows no violation");
  expect_refused(std::string{"replay --minimise --check "} + kExample, "excludes");
  expect_refused(std::string{"replay -o x "} + kExample, "requires --minimise");
}

TEST_F(Traces, SimulatedRunsPlayAgain) {
  const auto list = boost::json::parse(hapax("algorithms --json").out);
  std::size_t algorithms = 0;
  for (const auto& row : list.at("algorithms").as_array()) {
    if (row.at("family") != "mutual exclusion") continue;
    ++algorithms;
    const std::string name{row.at("name").as_string()};
    const std::string run = path(name + ".trace");
    const Finished simulated =
        hapax("sim " + name + " -n 4 --requests 8 --load high --trace " + run);
    EXPECT_LE(simulated.status, 1) << name << simulated.err;
    EXPECT_EQ(hapax("replay --check " + run).status, 0) << name;
    EXPECT_EQ(hapax("trace --svg " + run).status, 0) << name;
    EXPECT_THAT(contents_of(run), StartsWith("# hapax sim " + name + " -n 4 "));
  }
  EXPECT_GE(algorithms, 11u);
}

TEST_F(Traces, SimulatedVotingSetsOfAFileAreKept) {
  const std::string sets = file("sets", "1: 1 2\n2: 2 3\n3: 1 3\n");
  const std::string run = path("run.trace");
  EXPECT_EQ(
      hapax("sim maekawa-basic -n 3 --load high --voting-sets " + sets + " --trace " + run).status,
      1)
      << "the lecture's deadlock";
  EXPECT_THAT(contents_of(run), HasSubstr("voting-sets=1:1,2;2:2,3;3:1,3"));
  EXPECT_EQ(hapax("replay --check " + run).status, 0);
}

TEST_F(Traces, AMistakeIsOneLineThatSaysWhatToDo) {
  expect_refused("trace", "FILE is required");
  expect_refused("trace /no/such/file", "No such file");
  expect_refused("trace /", "'/'");
  expect_refused("replay " + file("empty", ""), "a trace begins with: nodes");
  expect_refused("replay " + file("odd", "request P1\n----\n"), "line 1: a trace begins with");
  expect_refused("replay " + file("open", "nodes lamport A B\n"), "no ----");
  expect_refused("trace " + file("name", "nodes lamprt A B\n----\n"), "no algorithm 'lamprt'");
  expect_refused(std::string{"trace --svg --json "} + kExample, "choose one");
  expect_refused(std::string{"trace -o /no/such/folder/x "} + kExample, "cannot be written");
  expect_refused("sim lamport -n 65 --trace " + path("x"), "at most 64 processes");
  expect_refused("sim bully --trace " + path("x"), "mutual exclusion only");
  expect_refused("sim lamport -n 3 --trace /no/such/folder/x", "cannot be written");
  EXPECT_FALSE(fs::exists(path("x"))) << "a refusal leaves nothing behind";
}

TEST_F(Traces, TheExamplesOfTheHelpWork) {
  for (const char* command : {"trace", "replay"}) {
    const std::string help = hapax(std::string{command} + " --help").out;
    std::size_t examples = 0;
    for (std::size_t at = help.find("\n  hapax "); at != std::string::npos;
         at = help.find("\n  hapax ", at + 1), ++examples) {
      std::string line = help.substr(at + 9, help.find('\n', at + 1) - at - 9);
      if (const std::size_t out = line.find("-o "); out != std::string::npos) {
        line = line.substr(0, out) + "-o " + path("out.svg");
      }
      const Finished finished = hapax(line);
      EXPECT_EQ(finished.status, 0) << line << '\n' << finished.err;
    }
    EXPECT_GE(examples, 3u) << command;
  }
}

// Everything that scripts/diagrams writes, written again beside the documents.
TEST_F(Traces, TheDocumentsShowWhatTheScriptWrites) {
  const fs::path docs = fs::path{HAPAX_ROOT} / "docs";
  const fs::path again = path("docs");
  fs::create_directory(again);
  fs::copy(docs / "algorithms", again / "algorithms");
  const std::string command = "'" HAPAX_ROOT "/scripts/diagrams' '" HAPAX_BINARY "' '" +
                              again.string() + "' 2>'" + path("err") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0)  // NOLINT(cert-env33-c): as people run it
      << contents_of(path("err"));
  std::size_t written = 0;
  for (const char* folder : {"algorithms", "diagrams", "traces"}) {
    for (const auto& entry : fs::directory_iterator(again / folder)) {
      const fs::path name = fs::path{folder} / entry.path().filename();
      EXPECT_TRUE(contents_of(entry.path()) == contents_of(docs / name))
          << name << " is not current; run scripts/diagrams and look at it";
      ++written;
    }
    for (const auto& entry : fs::directory_iterator(docs / folder)) {
      EXPECT_TRUE(fs::exists(again / folder / entry.path().filename()))
          << entry.path() << " is not written by scripts/diagrams any more";
    }
  }
  EXPECT_GE(written, 60u);
}

TEST_F(Traces, EveryDiagramIsShown) {
  std::string pages = contents_of(fs::path{HAPAX_ROOT} / "README.md");
  for (const fs::path& page : files_below("docs", ".md")) pages += contents_of(page);
  for (const fs::path& diagram : files_below("docs/diagrams", ".svg")) {
    EXPECT_THAT(pages, HasSubstr("diagrams/" + diagram.filename().string() + ")"));
  }
}

// The counterexamples stay what they are said to be: they play as written, and show a violation
// that needs all of their steps.
TEST_F(Traces, TheCounterexamplesPlay) {
  const std::vector<fs::path> traces = files_below("docs/traces", ".trace");
  EXPECT_GE(traces.size(), 11u);
  for (const fs::path& trace : traces) {
    EXPECT_EQ(hapax("replay --check " + trace.string()).status, 0) << trace;
    const std::string less = hapax("replay --minimise " + trace.string()).out;
    std::smatch match;
    ASSERT_TRUE(
        std::regex_search(less, match, std::regex{"after (\\d+) steps, minimised from (\\d+)"}))
        << trace;
    EXPECT_EQ(match[1], match[2]) << trace;
  }
}

// Each page has what takes the algorithm's assumption away; the command is the script's.
TEST_F(Traces, EveryAlgorithmPageShowsWhatBreaks) {
  const auto list = boost::json::parse(hapax("algorithms --json").out);
  const std::string script = contents_of(fs::path{HAPAX_ROOT} / "scripts/diagrams");
  std::size_t pages = 0;
  for (const auto& row : list.at("algorithms").as_array()) {
    const std::string name{row.at("name").as_string()};
    const std::string page = contents_of(fs::path{HAPAX_ROOT} / "docs/algorithms" / (name + ".md"));
    const std::size_t breaks = page.find("\n## What breaks: ");
    ASSERT_NE(breaks, std::string::npos) << name;
    ++pages;
    if (row.at("family") != "shared memory") {
      EXPECT_LT(page.find("](../diagrams/"), breaks) << name << " has no diagram of a usual run";
      EXPECT_NE(page.find("](../diagrams/", breaks), std::string::npos) << name;
    }
    if (row.at("family") == "election") continue;
    std::smatch match;
    const std::string rest = page.substr(breaks);
    ASSERT_TRUE(std::regex_search(rest, match, std::regex{"`hapax check (" + name + " [^`]*)`"}))
        << name;
    EXPECT_THAT(script, HasSubstr(" " + match[1].str() + "\n")) << "the script has another command";
  }
  EXPECT_GE(pages, 19u);
}

}  // namespace
