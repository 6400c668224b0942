// What a check found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hapax {

enum class Verdict : std::uint8_t { holds, violated, unfinished };

constexpr std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::violated:
      return "violated";
    case Verdict::unfinished:
      return "unfinished";
  }
  return "?";
}

struct CheckReport {
  Verdict verdict = Verdict::holds;
  std::string property;  // Which one is violated.
  std::string finding;   // What happened, in words.
  std::string proved;    // What was proved, in a sentence; or how far the search came.
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint32_t depth = 0;
  std::uint64_t bytes = 0;
  bool reduced = false;        // Orders of steps that make no difference were left out.
  std::uint32_t searches = 1;  // How many it took to learn which.
  // The shortest path there, as commands of a trace, an entry for each step. In an election a step
  // may take several, with line ends between them.
  std::vector<std::string> commands;
  std::size_t round = 0;  // Starvation: how many of the last of them can be repeated for ever.
};

}  // namespace hapax
