#include "lab/sim_trace.h"

#include <fmt/format.h>
#include <vector>

#include "catalog/catalog.h"
#include "console/usage.h"
#include "world/play.h"

namespace hapax::cli {
namespace {

constexpr std::uint32_t kMostProcesses = 64;

// By the name of their rule, or, from a file, one by one: 1:1,2;2:2,3;3:1,3.
std::string sets_text(const std::string& rule, const VotingSets& sets) {
  for (const char* known : {"smallest", "grid", "cyclic", "plane", "lecture"}) {
    if (rule == known) return rule;
  }
  std::string text;
  for (std::uint32_t i = 0; i < sets.processes(); ++i) {
    text += fmt::format("{}{}:", text.empty() ? "" : ";", i + 1);
    for (std::uint32_t seat = 0; seat < sets.size(NodeId{i}); ++seat) {
      text += fmt::format("{}{}", seat == 0 ? "" : ",",
                          number(sets.voter(NodeId{i}, VoterSeat{seat})) + 1);
    }
  }
  return text;
}

std::string nodes_command(const SimArguments& a, const SimOptions& options,
                          const VotingSets* sets) {
  std::string command = "nodes " + a.algorithm;
  for (std::uint32_t i = 0; i < options.n; ++i) command += fmt::format(" P{}", i);
  if (options.holder != NodeId{}) command += fmt::format(" holder=P{}", number(options.holder));
  if (options.held) command += " held";
  if (a.say_denied) command += " say-denied";
  if (find_algorithm(a.algorithm)->info.takes.units)
    command += fmt::format(" units={} each=1", a.units);
  if (sets != nullptr) command += " voting-sets=" + sets_text(a.voting_sets, *sets);
  return command;
}

std::vector<std::string> header(const SimArguments& a, const SimOptions& options) {
  std::string line = fmt::format("hapax sim {} -n {} --requests {} --load {} --latency {} --cs {}",
                                 a.algorithm, options.n, a.requests, a.load, a.latency, a.inside);
  if (a.unordered) line += " --unordered";
  if (a.requesters > 0) line += fmt::format(" --requesters {}", a.requesters);
  for (const std::string& fault : a.faults) line += " --fault " + fault;
  if (a.readers > 0) line += fmt::format(" --readers {}", a.readers);
  if (find_algorithm(a.algorithm)->info.takes.units) line += fmt::format(" --units {}", a.units);
  return {line + fmt::format(" --seed {}", options.seed)};
}

// Before the file is opened, so that a refusal leaves it as it was.
const std::string& refuse_many(const std::string& file, std::uint32_t n) {
  if (n <= kMostProcesses) return file;
  throw UsageError{
      fmt::format("--trace is for at most {} processes; use a smaller -n", kMostProcesses)};
}

}  // namespace

SimTrace::SimTrace(const SimArguments& a, const SimOptions& options, const VotingSets* sets)
    : name_(refuse_many(a.trace, options.n)),
      file_(name_),
      recorder_(nodes_command(a, options, sets), header(a, options)) {
  if (!file_) throw UsageError{fmt::format("'{}' cannot be written", name_)};
}

void SimTrace::write() {
  file_ << value_or_usage(play(recorder_.script())).text() << std::flush;
  if (!file_) throw UsageError{fmt::format("'{}' cannot be written", name_)};
}

}  // namespace hapax::cli
