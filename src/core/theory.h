// What the lectures and papers say an algorithm costs, in the units of the simulator: messages, and
// message delays T. One requester at a time unless said otherwise; messages to oneself are none.
// Each algorithm gives its own: MutexInfo::theory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace hapax {

struct MutexChoices;

// Who may ask next.
enum class Draw : std::uint8_t {
  uniform,   // anybody
  not_home,  // anybody but the view's holder: central's coordinator serves, others ask
  not_last,  // anybody but the one drawn last, who still has the token
};

constexpr std::string_view name_of(Draw draw) {
  switch (draw) {
    case Draw::uniform:
      return "uniform";
    case Draw::not_home:
      return "uniform, but not the coordinator";
    case Draw::not_last:
      return "uniform, but not the one inside last";
  }
  return "?";
}

struct Expected {
  double value = 0;
  std::string formula;
  bool exact = true;      // Otherwise a mean over what is drawn.
  bool is_range = false;  // Only bounds are known, and `value` is the upper one.
};

struct Theory {
  Expected messages;
  Expected client_delay;     // In T.
  Expected sync_delay;       // In T, between two members, the second of which has waited.
  Expected sync_delay_high;  // In T, under high load: throughput is 1/(this + E).
  bool in_request_order = false;
  Draw draw = Draw::uniform;            // How requesters must be drawn for these figures.
  bool messages_at_saturation = false;  // Counted under high load, not one at a time.
  bool may_deadlock = false;
  // Of which two members sync_delay is said. Empty: any two.
  std::function<bool(NodeId, NodeId)> pairs{};
};

// What the figures depend on. REQUIRES: n > 1; the choices outlive the Theory.
struct TheoryInput {
  std::uint32_t n = 2;
  const MutexChoices& choices;
};

// Everybody is asked, and answers at once or on leaving.
inline Theory by_asking_all(double messages, std::string formula) {
  return {.messages = {messages, std::move(formula)},
          .client_delay = {2, "2T"},
          .sync_delay = {1, "T"},
          .sync_delay_high = {1, "T"},
          .in_request_order = true};
}

}  // namespace hapax
