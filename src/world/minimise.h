// Shortens a trace that shows a violation: steps are removed as long as what is left still plays
// and still shows the same kind of violation (delta debugging: halves first, single steps last).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "world/play.h"
#include "world/script.h"

namespace hapax {

// What is wrong with a run. Nothing, or the gravest of what it shows.
struct Flaw {
  enum class Kind : std::uint8_t {
    none,
    exclusion,    // Two inside at once.
    two_leaders,  // Two lead at once.
    fence,        // Somebody entered with a fence that is not larger than the last one.
    dead_end,     // Somebody waits as the run ends, and nothing is left that could help.
    refusal       // Somebody refused a message.
  };
  Kind kind = Kind::none;
  std::string text{};  // In words: P2 enters while P1 is inside.
  explicit operator bool() const { return kind != Kind::none; }
};

std::string_view name_of(Flaw::Kind kind);

Flaw flaw_of(const Performance& played);

struct Minimised {
  Script script;  // Played, a block for each step. Comments stay with their step.
  Flaw flaw;
  std::size_t steps_before = 0;  // Commands other than `nodes` and `start`.
  std::size_t steps_after = 0;
};

// The number of commands of a trace that take a step.
std::size_t steps_of(const Script& script);

// An error if the trace cannot be played or shows nothing wrong. No single step can be removed from
// what is left, unless the search took too long and was given up (100 million steps played).
Result<Minimised> minimise(const Script& script);

}  // namespace hapax
