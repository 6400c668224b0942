#include "check/counterexample.h"

#include <cctype>
#include <fmt/format.h>
#include <sstream>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "voting/voting_sets.h"
#include "world/minimise.h"
#include "world/play.h"

namespace hapax {
namespace {

std::string sets_text(const VotingSets& sets) {
  std::string text;
  for (std::uint32_t i = 0; i < sets.processes(); ++i) {
    text += fmt::format("{}{}:", i == 0 ? "" : ";", i + 1);
    for (std::uint32_t s = 0; s < sets.size(NodeId{i}); ++s) {
      text +=
          fmt::format("{}{}", s == 0 ? "" : ",", number(sets.voter(NodeId{i}, VoterSeat{s})) + 1);
    }
  }
  return text;
}

// `mutex`: null if it is an election.
std::string nodes_command(std::string_view algorithm, const Operations* mutex,
                          const CheckOptions& options, const MutexChoices& choices) {
  std::string line = fmt::format("nodes {}", algorithm);
  for (std::uint32_t i = 1; i <= options.n; ++i) line += fmt::format(" P{}", i);
  if (number(options.holder) != 0) line += fmt::format(" holder=P{}", number(options.holder) + 1);
  if (options.held) line += " held";
  for (std::uint32_t i = 0; i < options.holdings.size(); ++i) {
    for (std::uint32_t unit = 0; unit < options.holdings[i].units; ++unit) {
      line += fmt::format(" inside=P{}", i + 1);
    }
  }
  if (mutex == nullptr) return line;
  const MutexTakes& takes = mutex->info.takes;
  if (takes.say_denied && choices.say_denied) line += " say-denied";
  if (takes.units) {
    line += fmt::format(" units={} each={}", choices.units, choices.most_units_of_a_member());
  }
  if (mutex->info.voting_sets != nullptr && choices.voting_sets != nullptr) {
    line += " voting-sets=" + sets_text(*choices.voting_sets);
  }
  return line;
}

std::string headline(std::string_view property, std::size_t steps, std::string_view finding) {
  std::string line = fmt::format("# {} violated after {} steps: {}.", property, steps, finding);
  line[2] = static_cast<char>(std::toupper(static_cast<unsigned char>(line[2])));
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
  begin.comments = {headline(report.property, report.commands.size(), report.finding)};
  const Operations* mutex = find_algorithm(algorithm);
  begin.commands = {nodes_command(algorithm, mutex, options, choices)};
  if (mutex != nullptr && mutex->info.never_rests) begin.commands.emplace_back("start");
  script.blocks.push_back(std::move(begin));
  for (std::size_t i = 0; i < report.commands.size(); ++i) {
    ScriptBlock block;
    block.comments = {""};
    if (report.round > 0 && i + report.round == report.commands.size()) {
      block.comments.emplace_back("# From here on, round and round.");
    }
    block.commands = lines_of(report.commands[i]);
    script.blocks.push_back(std::move(block));
  }
  // The search ends where nobody can do anything; the one that waits for ever may have done so for
  // long, and others need not have asked.
  if (report.property == name_of(Flaw::Kind::dead_end)) {
    Result<Minimised> less = minimise(script);
    if (less && less->flaw.kind == Flaw::Kind::dead_end) {
      less->script.blocks[0].comments = {
          headline(report.property, less->steps_after, less->flaw.text)};
      return std::move(less->script);
    }
  }
  return play(script);
}

}  // namespace hapax
