// What the members of a view have recorded of one lock: told by members to one another, and by a
// daemon to its client as bytes, encode(Recording).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "core/lock_step.h"

namespace hapax::session {

struct MemberRecording {
  std::uint32_t member = 0;  // Its seat.
  std::string name;          // For people.
  std::string refusal;       // Why it has recorded nothing; empty: it has.
  Epoch epoch{};
  NodeId place{};  // In the view, of so many.
  std::uint32_t size = 0;
  LockStart start;
  std::vector<LockStep> steps;
  bool is_cut = false;  // There was no room for more, or the view ended.
  HAPAX_RECORD(MemberRecording, member, name, refusal, epoch, place, size, start, steps, is_cut)
};

struct Recording {
  std::string lock;
  std::uint64_t time_ms = 0;  // Unix time when it began.
  std::uint64_t for_ms = 0;
  std::vector<MemberRecording> members;
  HAPAX_RECORD(Recording, lock, time_ms, for_ms, members)
};

// All of an answer; each member has its share.
inline constexpr std::size_t kLargestRecording = std::size_t{3} << 20;
inline constexpr std::uint64_t kLongestRecordingMs = 60'000;

}  // namespace hapax::session
