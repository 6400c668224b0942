#include "told/sim_words.h"

#include <fmt/format.h>

#include "catalog/catalog.h"

namespace hapax {
namespace {

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

std::string nodes_command(const SimWords& a, const SimOptions& options, const VotingSets* sets) {
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

std::vector<std::string> header(const SimWords& a, const SimOptions& options) {
  std::string line = fmt::format("hapax sim {} -n {} --requests {} --load {} --latency {} --cs {}",
                                 a.algorithm, options.n, a.requests, a.load, a.latency, a.inside);
  if (options.channels == Channels::unordered) line += " --unordered";
  if (a.requesters > 0) line += fmt::format(" --requesters {}", a.requesters);
  for (const std::string& fault : a.faults) line += " --fault " + fault;
  if (a.say_denied) line += " --say-denied";
  if (a.voting_sets != "smallest" && find_algorithm(a.algorithm)->info.takes.voting_sets) {
    line += " --voting-sets " + a.voting_sets;
  }
  if (a.readers > 0) line += fmt::format(" --readers {}", a.readers);
  if (find_algorithm(a.algorithm)->info.takes.units) line += fmt::format(" --units {}", a.units);
  return {line + fmt::format(" --seed {}", options.seed)};
}

}  // namespace

SimRecorder recorder_of(const SimWords& words, const SimOptions& options, const VotingSets* sets) {
  return {nodes_command(words, options, sets), header(words, options)};
}

}  // namespace hapax
