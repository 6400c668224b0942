// What daemons ask and tell each other besides the algorithms' messages: who holds and who waits,
// for people; who leads, and who steps aside for whom. As payload of the mesh:
// tags::kBetweenDaemons, then the record.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/record.h"
#include "session/protocol.h"
#include "session/recording.h"
#include "wire/codec.h"
#include "wire/tags.h"

namespace hapax {

// Tell me your locks. An empty name: all of them.
struct AskLocks {
  std::uint64_t question = 0;
  std::string name;
  HAPAX_RECORD(AskLocks, question, name)
};
struct TellLocks {
  std::uint64_t question = 0;
  std::vector<session::Lock> locks;  // As the teller sees them: its own holders and waiters.
  std::uint64_t more_locks = 0;      // Not listed.
  HAPAX_RECORD(TellLocks, question, locks, more_locks)
};
// Tell me how you are.
struct AskReport {
  std::uint64_t question = 0;
  HAPAX_RECORD(AskReport, question)
};
struct TellReport {
  std::uint64_t question = 0;
  session::MemberReport report;
  HAPAX_RECORD(TellReport, question, report)
};
// --- elections of programs (leader_watch.h, campaigns.h) ---

// Tell me which of your programs leads, now and whenever that changes; or stop telling me.
struct WatchLeader {
  std::string name;
  bool on = false;
  HAPAX_RECORD(WatchLeader, name, on)
};
struct TellLeader {
  std::string name;
  std::optional<session::Leader> leader;  // A program of the teller's, or none.
  HAPAX_RECORD(TellLeader, name, leader)
};
// Let no candidate for `name` wait that has another value than this.
struct StepAside {
  std::uint64_t question = 0;
  std::string name;
  std::string candidate;
  HAPAX_RECORD(StepAside, question, name, candidate)
};
struct SteppedAside {
  std::uint64_t question = 0;
  bool found = false;  // The candidate waits at the teller's.
  HAPAX_RECORD(SteppedAside, question, found)
};
// Those who stepped aside may wait again.
struct Resume {
  std::string name;
  HAPAX_RECORD(Resume, name)
};
// If a program of yours leads `name`, ask it to step down.
struct RequestResignation {
  std::uint64_t question = 0;
  std::string name;
  std::string to;
  HAPAX_RECORD(RequestResignation, question, name, to)
};
struct ResignationRequested {
  std::uint64_t question = 0;
  bool found = false;  // The leader is the teller's, and has been asked.
  HAPAX_RECORD(ResignationRequested, question, found)
};
// Does a program of yours campaign for `name` with that value?
struct FindCandidate {
  std::uint64_t question = 0;
  std::string name;
  std::string value;
  HAPAX_RECORD(FindCandidate, question, name, value)
};
struct FoundCandidate {
  std::uint64_t question = 0;
  bool found = false;
  HAPAX_RECORD(FoundCandidate, question, found)
};
// --- locks that are broken (breaking.h) ---

// Take that lock from whoever of your programs holds it, with that fence if one is said.
struct BreakLock {
  std::uint64_t question = 0;
  std::string name;
  std::optional<Fence> fence;
  std::string by;  // Who wants it, for people.
  HAPAX_RECORD(BreakLock, question, name, fence, by)
};
struct LockBroken {
  std::uint64_t question = 0;
  std::uint32_t holders = 0;  // Who have lost it.
  std::string refusal;        // Why one has not, for people.
  HAPAX_RECORD(LockBroken, question, holders, refusal)
};
// --- all locks, page by page; since version 3 of the members' wire ---

// Tell me your locks that are in use, from that place on; 0: from the first.
struct AskLocksFrom {
  std::uint64_t question = 0;
  std::uint64_t place = 0;
  HAPAX_RECORD(AskLocksFrom, question, place)
};
struct TellLocksFrom {
  std::uint64_t question = 0;
  std::vector<session::Lock> locks;
  std::uint64_t next = 0;  // Where to go on; 0: that is all.
  HAPAX_RECORD(TellLocksFrom, question, locks, next)
};
inline constexpr std::uint32_t kKnowPages = 3;

// --- the messages of one lock, recorded (recordings.h); since version 3 of the members' wire ---

// Record that lock for so long, and tell whoever asks first. From everybody to everybody: what the
// sender says of its locks after this, it says after it has begun to record.
struct RecordLock {
  std::uint32_t by = 0;  // The seat of who wants it, and its number there.
  std::uint64_t recording = 0;
  std::string name;
  std::uint64_t for_ms = 0;
  HAPAX_RECORD(RecordLock, by, recording, name, for_ms)
};
struct TellRecorded {
  std::uint64_t recording = 0;
  session::MemberRecording recorded;
  HAPAX_RECORD(TellRecorded, recording, recorded)
};
inline constexpr std::uint32_t kKnowRecordings = 3;

using PeerMessage = std::variant<AskLocks, TellLocks, WatchLeader, TellLeader, StepAside,
                                 SteppedAside, Resume, RequestResignation, ResignationRequested,
                                 AskReport, TellReport, FindCandidate, FoundCandidate, BreakLock,
                                 LockBroken, AskLocksFrom, TellLocksFrom, RecordLock, TellRecorded>;

inline Bytes payload_of(const PeerMessage& message) {
  Bytes bytes{tags::kBetweenDaemons};
  encode_to(bytes, message);
  return bytes;
}

inline bool is_peer_message(std::span<const std::uint8_t> payload) {
  return !payload.empty() && payload[0] == tags::kBetweenDaemons;
}

inline std::optional<PeerMessage> peer_message_of(std::span<const std::uint8_t> payload) {
  return decode<PeerMessage>(payload.subspan(1));
}

}  // namespace hapax
