#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include "console/usage.h"
#include "lab/file.h"
#include "lab/run.h"
#include "lab/script_file.h"
#include "world/minimise.h"
#include "world/play.h"

namespace hapax::cli {
namespace {

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

int compare_outcomes(const ReplayArguments& a, const Script& written, const Script& played) {
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
  write_file(a.out, less->script.text());
  return kHolds;
}

}  // namespace

int run_replay(const ReplayArguments& a) {
  const Script script = script_from(a.file);
  if (a.minimise) return shorten(a, script);
  const Result<Script> played = play(script);
  if (!played) throw UsageError{fmt::format("'{}': {}", a.file, played.error().message)};
  return a.check ? compare_outcomes(a, script, *played) : step_through(a, *played);
}

}  // namespace hapax::cli
