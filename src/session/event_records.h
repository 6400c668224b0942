// What a client and its daemon say about what happens: part of protocol.h, since version 12.
//
// A client asks for what has happened since it asked last, and the daemon answers when there is
// something, or after a while. The daemon numbers what it tells; a client that comes from another
// one, whose numbers are others, is told of files by their revision, and of locks how they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/record.h"
#include "core/fence.h"

namespace hapax::session {

// Where a reader of events is.
struct EventCursor {
  std::uint64_t log = 0;       // Whose numbers they are; 0: nobody's yet.
  std::uint64_t sequence = 0;  // The last that it was told.
  std::uint64_t revision = 0;  // Of files: all up to this one.
  HAPAX_RECORD(EventCursor, log, sequence, revision)
};
// Answered by EventsTold, or Refused.
struct AskEvents {
  static constexpr std::uint32_t kSince = 12;
  std::uint64_t request = 0;
  std::string path;  // Files, locks and the election in that folder; empty: all.
  EventCursor from;
  bool only_files = false;
  std::uint32_t wait_ms = 0;  // For the first.
  HAPAX_RECORD(AskEvents, request, path, from, only_files, wait_ms)
};

struct Happened {
  enum class Kind : std::uint8_t {
    begun,   // All of the files is told from here on.
    resync,  // The same, but something was left out before: look anew.
    file_added,
    file_changed,
    file_removed,
    lock_taken,   // With the holder's fence.
    lock_vacant,  // With that of who held it.
    leader,       // Of the election whose name is the folder's: its value; or no fence, and nobody.
    jeopardy,     // The daemon's lease is not renewed, …
    safe,         // … is again, …
    expired,      // … or is over, and what was held through it is lost.
  };
  friend constexpr bool is_valid(Kind k) { return k <= Kind::expired; }
  Kind kind = Kind::begun;
  std::string name;  // Of the file, the lock or the election.
  std::optional<Fence> fence;
  std::string text;            // The leader's value.
  std::uint64_t revision = 0;  // Of a file's: its version from then on.
  HAPAX_RECORD(Happened, kind, name, fence, text, revision)
};
struct EventsTold {
  static constexpr std::uint32_t kSince = 12;
  std::uint64_t request = 0;
  EventCursor now;
  std::vector<Happened> events;
  HAPAX_RECORD(EventsTold, request, now, events)
};

}  // namespace hapax::session
