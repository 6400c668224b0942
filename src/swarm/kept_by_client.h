// A lock that may stay with a client of a run: the memory that it shares with its member, both
// halves of it. The client's goes on when the member's process is dead or asleep.
#pragma once

#include <cstdint>
#include <string>

#include "core/fence.h"
#include "kept/word.h"
#include "service/kept_grant.h"
#include "view/roll.h"

namespace hapax {

struct KeptByClient {
  kept::Word word{0};

  // --- the member's ---
  KeptGrant grant{word};
  std::string granted_lock;
  bool is_orphan = false;  // Its process is gone.

  // --- the client's, of the last grant that it was told of; 0: none ---
  std::uint64_t entry = 0;
  std::string lock;
  WaiterId waiter{};
  Fence fence;
  Life life{};           // Of its member then.
  bool is_lost = false;  // It must not rely on it any more.

  Fence fence_of(std::uint64_t number) const {
    return {fence.epoch, Turn{hapax::number(fence.turn) + (number - entry)}};
  }
};

}  // namespace hapax
