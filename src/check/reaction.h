// What a member does on an input, in numbers (reactions.h).
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "core/effects.h"

namespace hapax {

struct SentMessage {
  std::uint32_t to;
  std::uint32_t message;
};

// Small, since a search looks one up at every step.
struct MemberReaction {
  std::uint32_t local;   // The member's state afterwards …
  std::uint32_t effect;  // … and all else that it does, if anything.
};

struct MemberEffect {
  std::uint32_t first_send = 0;
  std::uint32_t sends = 0;
  Reject rejected = Reject::none;
  bool enters = false;
  Turn turn{};  // If it enters.

  bool is_to_be_checked() const { return enters || rejected != Reject::none; }
};

}  // namespace hapax
