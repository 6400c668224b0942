#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "console/command.h"
#include "lab/script_file.h"
#include "world/minimise.h"
#include "world/play.h"

namespace hapax::cli {
namespace {

struct ReplayArguments {
  std::string file;
  std::string out;
  bool check = false;
  bool minimise = false;
};

void print_block(const ScriptBlock& block) {
  for (const std::string& line : block.comments) fmt::print("{}\n", line);
  for (const std::string& line : block.commands) fmt::print("> {}\n", line);
  for (const std::string& line : block.outcome) fmt::print("  {}\n", line);
  std::fflush(stdout);
}

// False if the reader has seen enough.
bool wait_for_reader(std::size_t next, std::size_t all) {
  fmt::print(stderr, "[{} of {}; Enter goes on, q quits] ", next, all);
  std::string line;
  return std::getline(std::cin, line) && line != "q";
}

int step_through(const ReplayArguments& a, const Script& played) {
  const bool waits = a.file != "-" && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  for (std::size_t i = 0; i < played.blocks.size(); ++i) {
    if (waits && i > 0 && !wait_for_reader(i, played.blocks.size())) return kHolds;
    print_block(played.blocks[i]);
  }
  for (const std::string& line : played.closing) fmt::print("{}\n", line);
  return kHolds;
}

// The first line in which they differ, if they do.
bool report_difference(const ReplayArguments& a, const ScriptBlock& written,
                       const ScriptBlock& played) {
  if (written.outcome == played.outcome) return false;
  std::size_t at = 0;
  const auto line = [&](const ScriptBlock& block) {
    return at < block.outcome.size() ? block.outcome[at] : std::string{"(nothing)"};
  };
  while (line(written) == line(played)) ++at;
  fmt::print("{}: line {}\n  written: {}\n  played:  {}\n", a.file,
             written.line + written.commands.size() + 1 + at, line(written), line(played));
  return true;
}

int compare(const ReplayArguments& a, const Script& written, const Script& played) {
  std::size_t differing = 0;
  for (std::size_t i = 0; i < written.blocks.size(); ++i) {
    if (report_difference(a, written.blocks[i], played.blocks[i])) ++differing;
  }
  if (differing > 0) {
    fmt::print("{} of {} blocks do not come out as written.\n", differing, written.blocks.size());
    return kViolated;
  }
  fmt::print("All {} blocks come out as written.\n", written.blocks.size());
  return kHolds;
}

// Prints a trace, so that it can be drawn and replayed in its turn.
int shorten(const ReplayArguments& a, const Script& script) {
  Result<Minimised> less = minimise(script);
  if (!less) throw UsageError{fmt::format("'{}': {}", a.file, less.error().message)};
  std::vector<std::string>& comments = less->script.blocks[0].comments;
  comments.push_back(fmt::format("# {} violated after {} steps, minimised from {}: {}.",
                                 name_of(less->flaw.kind), less->steps_after, less->steps_before,
                                 less->flaw.text));
  const std::string text = less->script.text();
  if (a.out.empty() || a.out == "-") {
    fmt::print("{}", text);
  } else if (!(std::ofstream{a.out} << text).flush()) {
    throw UsageError{fmt::format("'{}' cannot be written", a.out)};
  }
  return kHolds;
}

int run_replay(const ReplayArguments& a) {
  const Script script = script_from(a.file);
  if (a.minimise) return shorten(a, script);
  const Result<Script> played = play(script);
  if (!played) throw UsageError{fmt::format("'{}': {}", a.file, played.error().message)};
  return a.check ? compare(a, script, *played) : step_through(a, *played);
}

}  // namespace

void add_replay(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("replay", "Play a trace, block by block");
  auto a = std::make_shared<ReplayArguments>();
  command->add_option("FILE", a->file, "A trace; - for standard input")->required();
  auto* check = command->add_flag("--check", a->check,
                                  "Only compare with the outcomes that are written there");
  auto* less =
      command->add_flag("--minimise", a->minimise,
                        "Write the trace without the steps that its violation does not need");
  less->excludes(check);
  command->add_option("-o,--output", a->out, "With --minimise: where to write it")->needs(less);
  command->footer(
      "Examples:\n"
      "  hapax replay src/mutex/testdata/six-processes.trace\n"
      "  hapax replay src/mutex/testdata/maekawa-deadlock-3.trace --check\n"
      "  hapax replay - <src/world/testdata/bank.trace\n"
      "  hapax replay src/mutex/testdata/lamport-overtaken.trace --minimise\n"
      "Exit status: 0 fine, 1 something came out differently (--check), 2 usage.");
  command->callback([a, &outcome] { outcome.status = run_replay(*a); });
}

}  // namespace hapax::cli
