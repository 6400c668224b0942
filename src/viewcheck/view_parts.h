// What a state of the view change consists of: processes, links, and what all share. Members,
// frames and what the engine holds are numbers here, of the values that they stand for.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/record.h"
#include "core/fence.h"
#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "kept/word.h"
#include "locks/outbox.h"
#include "view/roll.h"

namespace hapax {

// What a client has read behind the gate, and is about to write on.
struct Pen {
  Fence fence{};
  std::uint8_t value = 0;
  HAPAX_RECORD(Pen, fence, value)
};

struct Process {
  std::uint32_t member = 0;  // Its MemberViews, by number.
  // As it was before it stopped for a view. Only where the rules about stopping are left out.
  std::optional<std::uint32_t> before{};
  bool alive = true;
  bool expired = false;  // Its lease is over, whether it has noticed or not.
  bool going = false;    // It leaves for good …
  bool gone = false;     // … and has left.
  Phase client = Phase::idle;
  Mode mode = Mode::exclusive;  // What the client asks for, or holds.
  std::uint8_t left = 0;        // How often it may still ask.
  Fence fence{};                // Of the client inside.
  bool written = false;         // The client inside has done its work.
  // If the lock may stay with the client: its word, and how often it has been entered by it since
  // the grant. `fence` is that of the last entry.
  kept::State word = kept::State::away;
  std::uint8_t again = 0;
  bool gives_back = false;  // It has left by the word, and its member does not know yet.
  std::optional<Pen> pen{};
  std::uint8_t lives = 1;
  std::optional<Life> ghost{};  // The life before, if its lease is not over …
  bool ghost_inside = false;    // … and whether its client still relies on it.
  Mode ghost_mode = Mode::exclusive;
  HAPAX_RECORD(Process, member, before, alive, expired, going, gone, client, mode, left, fence,
               written, word, again, gives_back, pen, lives, ghost, ghost_inside, ghost_mode)

  // The client, as this request of it is known to the member.
  WaiterId waiter() const { return WaiterId{left}; }
  // The member goes by the word: the client may enter again by itself, or has done so.
  bool is_by_word() const { return word != kept::State::away || gives_back; }
  // The client has left, or has been told that it is lost.
  void stop_working() {
    client = Phase::idle;
    mode = Mode::exclusive;
    fence = {};
    written = false;
    word = kept::State::away;
    again = 0;
    gives_back = false;
  }
};

struct Parcel {
  Life from{};
  std::uint32_t frame = 0;  // By number.
  HAPAX_RECORD(Parcel, from, frame)
};

// What all share: the engine, the storage behind the gate, and how much may still go wrong.
struct Commons {
  std::uint32_t engine = 0;  // What it holds, by number.
  Fence last;                // The highest fence given out …
  Fence last_alone;          // … and the highest of those that excluded everybody.
  Fence mark;                // The gate's …
  std::uint8_t value = 0;    // … and what is behind it.
  std::uint8_t faults = 0;
  HAPAX_RECORD(Commons, engine, last, last_alone, mark, value, faults)
};

}  // namespace hapax
