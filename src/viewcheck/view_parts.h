// What a state of the view change consists of: processes, links, and what all share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "core/fence.h"
#include "core/instance.h"
#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "core/view.h"
#include "view/keeper.h"

namespace hapax {

// What a client has read behind the gate, and is about to write on.
struct Pen {
  Fence fence{};
  std::uint8_t value = 0;
  HAPAX_RECORD(Pen, fence, value)
};

// Of a process, all but its instance.
struct ProcessState {
  Keeper keeper;
  bool alive = true;
  bool expired = false;  // Its lease is over, whether it has noticed or not.
  bool going = false;    // It leaves for good …
  bool gone = false;     // … and has left.
  View view{};           // Of the instance.
  Phase client = Phase::idle;
  Mode mode = Mode::exclusive;       // What the client asks for …
  Mode held_mode = Mode::exclusive;  // … and of what is held, or was given back after the report.
  std::uint8_t left = 0;             // How often it may still ask.
  Fence fence{};                     // Of the client inside.
  bool written = false;              // The client inside has done its work.
  std::optional<Pen> pen{};
  std::optional<Turn> entered{};  // The algorithm has, but without a lease no client is let in.
  bool owes_release = false;      // What was reported as held was given back after the report.
  std::vector<Life> holders{};    // Who has reported that it holds; while changing.
  std::uint8_t lives = 1;
  std::optional<Life> ghost{};  // The life before, if its lease is not over …
  bool ghost_inside = false;    // … and whether its client still relies on it.
  Mode ghost_mode = Mode::exclusive;
  HAPAX_RECORD(ProcessState, keeper, alive, expired, going, gone, view, client, mode, held_mode,
               left, fence, written, pen, entered, owes_release, holders, lives, ghost,
               ghost_inside, ghost_mode)

  // Paused past its lease: whatever it does next, it notices first.
  bool is_late() const { return alive && expired && keeper.is_leased(); }
  // The client has left, or has been told that it is lost.
  void stop_working() {
    client = Phase::idle;
    mode = Mode::exclusive;
    fence = {};
    written = false;
  }
};

struct Process : ProcessState {
  Instance lock{};  // Invariant: there while running.
};

struct Parcel {
  Epoch epoch{};
  NodeId from{};  // By its place in that view.
  Life life{};
  bool is_report = false;
  bool held = false;
  std::vector<std::uint8_t> message;  // Unless it is a report.
  HAPAX_RECORD(Parcel, epoch, from, life, is_report, held, message)
};

// What all share: the engine, the storage behind the gate, and how much may still go wrong.
struct Commons {
  Register reg;
  std::vector<Life> marked;  // Evicted: their beats are refused.
  Fence last;                // The highest fence given out …
  Fence last_alone;          // … and the highest of those that excluded everybody.
  Fence mark;                // The gate's …
  std::uint8_t value = 0;    // … and what is behind it.
  std::uint8_t faults = 0;
  HAPAX_RECORD(Commons, reg, marked, last, last_alone, mark, value, faults)
};

}  // namespace hapax
