// What is to be explored of the view change.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "viewcheck/view_rules.h"

namespace hapax {

struct ViewCheckOptions {
  std::uint32_t n = 3;        // Processes …
  std::uint32_t joiners = 0;  // … of which the last so many are outside at first.
  std::uint32_t entries = 1;  // How often each asks.
  std::uint32_t units = 1;    // Of a semaphore.
  std::uint32_t again = 0;    // How often a client may enter by itself a lock that stays with it.
  // How many faults of all kinds there are in one run, and which kinds.
  std::uint32_t faults = 1;
  bool crash = true;
  bool pause = true;  // Past the lease: of the process, or of its way to the engine.
  bool restart = false;
  bool leave = false;
  bool evict = false;
  bool deletion = false;     // Of a member's record, by whomever.
  bool wiped = false;        // The engine loses all that it knew …
  bool restored = false;     // … or what it learned since the beginning.
  bool cut = false;          // A link stays cut, until one of its ends gives way.
  bool settings = false;     // Somebody sets another algorithm for the next view: other_than().
  bool lost_answer = false;  // Of a commit that happened, or that did not.
  bool death = false;        // Of a client that was granted a lock that may stay with it.
  bool gate = false;         // Clients read and write behind a gate, and may write late.
  std::optional<ViewRule> without{};
  std::uint64_t most_bytes = std::uint64_t{4} << 30;

  bool engine_forgets() const { return wiped || restored; }
  bool leaves_out(ViewRule rule) const { return without == rule; }
};

inline constexpr std::uint32_t kMostInViews = 4;

// What locks are served by once somebody has set another algorithm than that.
constexpr std::string_view other_than(std::string_view algorithm) {
  return algorithm == "naimi-trehel" ? "ricart-agrawala" : "naimi-trehel";
}

}  // namespace hapax
