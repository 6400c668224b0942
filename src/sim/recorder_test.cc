// A run that was recorded and is played again is the same run.
#include "sim/recorder.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "sim/run.h"
#include "world/play.h"

namespace hapax {
namespace {

struct Recorded {
  SimReport report;
  Performance played;
};

Recorded record(std::string_view algorithm, SimOptions options) {
  std::string nodes = fmt::format("nodes {}", algorithm);
  for (std::uint32_t i = 0; i < options.n; ++i) nodes += fmt::format(" P{}", i);
  nodes += fmt::format(" holder=P{}{}", number(options.holder), options.held ? " held" : "");
  SimRecorder recorder{nodes, {"A run."}};
  options.recorder = &recorder;
  const Result<SimReport> report = simulate(algorithm, options);
  EXPECT_TRUE(report.has_value());
  // Through its text, as the command line does.
  const Result<Script> script = Script::parse(recorder.script().text());
  EXPECT_TRUE(script.has_value()) << script.error().message;
  return {*report, *perform(*script)};
}

std::size_t entries(const Performance& played) {
  const auto& all = played.scenes.at(0).happenings;
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Happening& h) {
    return h.kind == Happening::Kind::enter && h.fence.has_value();
  }));
}

void expect_the_same(std::string_view algorithm, const SimOptions& options) {
  SCOPED_TRACE(algorithm);
  const Recorded run = record(algorithm, options);
  EXPECT_EQ(entries(run.played), run.report.entries);
  for (const ScriptBlock& block : run.played.script.blocks) {
    for (const std::string& line : block.outcome) {
      EXPECT_FALSE(line.starts_with("error:")) << line;
    }
  }
}

SimOptions busy_run(std::uint64_t seed) {
  SimOptions options;
  options.n = 4;
  options.entries = 20;
  options.load.kind = Load::Kind::high;
  options.seed = seed;
  return options;
}

TEST(SimRecorder, EveryAlgorithmPlaysTheSameAgain) {
  for (const Operations* one : algorithms()) expect_the_same(one->info.name, busy_run(1));
}

TEST(SimRecorder, AlsoFromAHolderThatStartsInside) {
  SimOptions options = busy_run(2);
  options.holder = NodeId{2};
  options.held = true;
  for (const Operations* one : algorithms()) expect_the_same(one->info.name, options);
}

TEST(SimRecorder, AlsoWithFaultsAndMessagesThatOvertake) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SimOptions options = busy_run(seed);
    options.channels = Channels::unordered;
    options.latency = *Latency::parse("exp:1ms");
    for (const char* fault : {"loss:0.05", "dup:0.2", "crash:any@20ms", "pause:1@3ms+9ms"}) {
      options.faults.push_back(*parse_fault(fault));
    }
    for (const Operations* one : algorithms()) expect_the_same(one->info.name, options);
  }
}

TEST(SimRecorder, RecordingChangesNothing) {
  const SimOptions options = busy_run(5);
  EXPECT_EQ(record("lamport", options).report.fingerprint,
            simulate("lamport", options)->fingerprint);
}

TEST(SimRecorder, ALongRunEndsWithAWordAboutIt) {
  SimOptions options = busy_run(1);
  options.entries = 1000;
  SimRecorder recorder{"nodes lamport P0 P1 P2 P3", {}};
  options.recorder = &recorder;
  ASSERT_TRUE(simulate("lamport", options).has_value());
  const Script script = recorder.script();
  std::size_t commands = 0;
  for (const ScriptBlock& block : script.blocks) commands += block.commands.size();
  EXPECT_EQ(commands, 1 + SimRecorder::kMostSteps);
  ASSERT_FALSE(script.closing.empty());
  EXPECT_EQ(script.closing.back(), "# The run went on; a trace ends after 2000 steps.");
}

}  // namespace
}  // namespace hapax
