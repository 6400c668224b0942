// One election in virtual time: members, latencies, starters, crashes, one partition. The same
// scenario gives the same run on every machine.
//
// What the driver does, as the contract asks: every live member that could reach one that crashes
// is told of it, `detection` later; a member so told that knows no leader campaigns; a member that
// comes back has lost its memory, is seen by the others `detection` after it is up, and campaigns
// then.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/id_set.h"
#include "base/ids.h"
#include "base/result.h"
#include "core/election_algorithm.h"
#include "election/ring.h"

namespace hapax {

struct ElectionScenario {
  struct Start {
    NodeId member{};
    Nanos at = 0;
  };
  struct Crash {
    NodeId member{};
    Nanos at = 0;
    std::optional<Nanos> back;  // When it is up again. REQUIRES: back >= at.
  };
  struct Partition {
    NodeSet side;  // These against all others.
    Nanos from = 0;
    std::optional<Nanos> until;  // Never healed if empty. REQUIRES: until >= from.
  };

  std::uint32_t members = 5;
  Nanos latency_min_ns = 1'000'000;  // Equal to max: constant. Otherwise uniform, from the seed.
  Nanos latency_max_ns = 1'000'000;
  bool fifo = true;  // Per link. Constant latencies are FIFO in any case.
  std::uint64_t seed = 1;

  NodeSet down;  // Crashed long ago, and everybody has been told: the old leader of the lectures.
  std::vector<Start> starters;
  std::vector<Crash> crashes;  // At most one per member.
  std::optional<Partition> partition;
  Nanos detection_ns = 5'000'000;  // From a crash or return until the others are told.
  Nanos detection_spread_ns = 0;   // Each is told of a crash up to this much later, by the seed.

  Direction direction = Direction::ascending;  // Of the ring, for algorithms that let you choose.
  std::uint64_t event_limit = 10'000'000;
  bool explain = false;     // Fill ElectionReport::reasons.
  bool self_check = false;  // Every message passes through decode(encode(m)); costs time.
};

enum class ElectionFault : std::uint8_t {
  disagreement,  // Live members that can reach each other follow different leaders, or none.
  wrong_leader,  // All follow one, but it is not the highest live member of its side.
  nobody,        // Nobody was elected.
  still_open,    // A member still waits for the end of an election that will not come.
  restless,      // The event limit was reached before the run came to rest.
  broken_rules,  // An algorithm rejected a message, or a message did not survive the codec.
};
std::string_view name_of(ElectionFault fault);

struct ElectionReport {
  struct Count {
    std::string kind;  // ELECTION, OK, COORDINATOR
    std::uint64_t sent = 0;
  };
  struct Member {
    bool live = true;
    std::uint32_t side = 0;  // 0, or 1 for Partition::side while the partition is not healed.
    std::optional<NodeId> leader;
    Term term{};
  };
  struct Change {
    Nanos at = 0;
    NodeId member{};
    std::optional<NodeId> leader;
    Term term{};
  };
  struct Reason {
    Nanos at = 0;
    NodeId member{};
    std::string text;
  };
  // The first moment at which two live members both led.
  struct TwoLeaders {
    NodeId lower{};
    NodeId higher{};
    Nanos at = 0;
    Term lower_term{};
    Term higher_term{};
  };
  struct Violation {
    ElectionFault fault{};
    std::string text;
  };

  std::vector<Count> messages;  // By kind, in the order of the algorithm's list; counted at send.
  std::uint64_t sent = 0;       // The sum of `messages`.
  std::uint64_t lost = 0;       // Of these, to members that were down or cut off.
  std::uint64_t events = 0;
  Nanos decided_ns = 0;  // When leader() last changed anywhere.
  Nanos quiet_ns = 0;    // When the last message arrived or was lost, or the last event was told.
  std::vector<Member> members;
  std::vector<Change> timeline;  // Every change of leader() at a live member.
  std::vector<Reason> reasons;
  bool two_leaders = false;
  std::optional<TwoLeaders> rivals;
  std::vector<Violation> violations;  // Judged when the run has come to rest.
};

// Runs the algorithm of that name (see election/catalog.h). An error says which part of the
// scenario makes no sense.
Result<ElectionReport> run_election(std::string_view algorithm, const ElectionScenario& scenario);

}  // namespace hapax
