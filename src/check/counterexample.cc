#include "check/counterexample.h"

#include <fmt/format.h>
#include <sstream>
#include <string>
#include <vector>

#include "world/play.h"

namespace hapax {
namespace {

std::string sets_text(const VotingSets& sets) {
  std::string text;
  for (std::uint32_t i = 0; i < sets.processes(); ++i) {
    text += fmt::format("{}{}:", i == 0 ? "" : ";", i + 1);
    for (std::uint32_t s = 0; s < sets.size(NodeId{i}); ++s) {
      text += fmt::format("{}{}", s == 0 ? "" : ",", number(sets.voter(NodeId{i}, Seat{s})) + 1);
    }
  }
  return text;
}

std::string nodes_command(std::string_view algorithm, const CheckOptions& options,
                          const MutexChoices& choices) {
  std::string line = fmt::format("nodes {}", algorithm);
  for (std::uint32_t i = 1; i <= options.n; ++i) line += fmt::format(" P{}", i);
  if (number(options.holder) != 0) line += fmt::format(" holder=P{}", number(options.holder) + 1);
  if (options.held) line += " held";
  if (choices.say_denied) line += " say-denied";
  if (choices.voting_sets != nullptr && algorithm.starts_with("maekawa")) {
    line += " voting-sets=" + sets_text(*choices.voting_sets);
  }
  return line;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream words{text};
  for (std::string line; std::getline(words, line);) lines.push_back(line);
  return lines;
}

}  // namespace

Result<Script> trace_of(std::string_view algorithm, const CheckOptions& options,
                        const MutexChoices& choices, const CheckReport& report) {
  Script script;
  ScriptBlock begin;
  begin.comments = {fmt::format("# {} violated after {} steps: {}.", report.property,
                                report.commands.size(), report.finding)};
  begin.commands = {nodes_command(algorithm, options, choices)};
  with_mutex(algorithm, [&]<class A>() {
    if (A::kInfo.never_rests) begin.commands.emplace_back("start");
  });
  script.blocks.push_back(std::move(begin));
  for (const std::string& command : report.commands) {
    ScriptBlock block;
    block.comments = {""};
    block.commands = lines_of(command);
    script.blocks.push_back(std::move(block));
  }
  return play(script);
}

}  // namespace hapax
