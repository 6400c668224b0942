// The times of a lease, and what follows from them.
#pragma once

#include <chrono>
#include <cstdint>

namespace hapax {

using Span = std::chrono::nanoseconds;
using Instant = std::chrono::nanoseconds;  // On a monotonic clock, since whenever.

struct LeaseTimes {
  Span ttl = std::chrono::seconds{5};

  // What two clocks may drift apart during a TTL, and what a timer may come late: 1 %, and 5 ms.
  Span margin() const { return ttl / 100 + std::chrono::milliseconds{5}; }
  // From the moment at which the beat was sent that has been acknowledged.
  Span lease() const { return ttl - margin(); }
  // How long a beat stands still before its member is given up on.
  Span patience() const { return ttl + margin(); }
  Span beat_every() const { return ttl / 3; }
  Span read_every() const { return ttl / 3; }
  // The lowest member proposes at once, each further one waits so much longer.
  Span propose_step() const { return ttl / 10; }
  // The most that a commit or a read may take.
  Span engine_limit() const { return ttl / 4; }

  // The most that a commit may usually take for beats to keep up: when the next one is
  // acknowledged, a beat and a commit after the last was sent, half of the TTL must be left, or the
  // member would be in jeopardy from beat to beat.
  Span slowest_commit() const { return ttl / 2 - margin() - beat_every(); }
  // The other way round, in steps of 100 ms.
  static Span shortest_for(Span commit);

  // From a member's death until its locks can be taken, if `commit` is what the engine and the
  // barrier take: the beat before it died is seen, stands still, somebody proposes.
  Span worst_takeover(std::uint32_t members, Span commit) const {
    return read_every() + patience() + propose_step() * (members > 1 ? members - 1 : 0) +
           3 * commit;
  }
};

// A beat has to come through twice in a TTL, with time to spare.
inline constexpr Span kShortestTtl = std::chrono::milliseconds{500};

inline Span LeaseTimes::shortest_for(Span commit) {
  constexpr std::chrono::milliseconds kStep{100};
  LeaseTimes times{kShortestTtl};
  // TTL/2 - TTL/3 - TTL/100 - 5 ms, solved for the TTL.
  const Span exact = (commit + std::chrono::milliseconds{5}) * 300 / 47;
  if (exact > times.ttl) times.ttl = (exact + kStep - Span{1}) / kStep * kStep;
  while (times.slowest_commit() < commit) times.ttl += kStep;  // Rounding.
  return times.ttl;
}

}  // namespace hapax
