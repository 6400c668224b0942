// The text of a trace: commands, what came of them, and comments for the reader.
//
//   # Both ask at once. Equal clocks, so the lower id wins.
//   deliver P2->P1
//   ----
//   P1 defers P2: own (1,P1) precedes (1,P2)
//
// A block is some command lines, a line of four dashes, and the outcome up to an empty line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hapax {

struct ScriptBlock {
  std::vector<std::string> comments;  // With their #, and empty lines between them.
  std::vector<std::string> commands;
  std::vector<std::string> outcome;
  std::size_t line = 0;  // Where the first command stands.
};

struct Script {
  std::vector<ScriptBlock> blocks;
  std::vector<std::string> closing;  // Comments after the last block.

  static Result<Script> parse(std::string_view text);
  std::string text() const;
};

// A command line in words, by white space.
std::vector<std::string> words_of(std::string_view line);

}  // namespace hapax
