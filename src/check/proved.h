// What a finished search has proved, in a sentence that says neither more nor less.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "check/options.h"

namespace hapax {

enum class Progress : std::uint8_t {
  not_promised,  // Messages or processes may be lost.
  by_ending,     // Every run ends, and none with somebody waiting.
  by_fairness,   // No fair cycle leaves anybody waiting.
  undecided,     // No dead end; whether somebody can be passed over for ever is open.
};

// What an algorithm promises about those inside.
struct Promise {
  std::string exclusion = "at most one is inside";
  std::string fences = "fences strictly grow";  // Empty: nothing about them.
};

// `capacity`: how many may be inside at a time, shared.
Promise promise_of(std::uint32_t capacity);

// `what` happens in every order, e.g. "single reads and writes".
std::string what_is_proved(const CheckOptions& options, std::string_view what, Progress progress,
                           const Promise& promise);

// Of an election. Crashes do not hinder its progress: those that crash are eventually suspected.
// `one_leader_a_term`: no two live members ever followed different ones in the same term.
// REQUIRES: progress != not_promised.
std::string what_is_proved_of_election(const CheckOptions& options, Progress progress,
                                       bool one_leader_a_term);

}  // namespace hapax
