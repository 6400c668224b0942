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
  // So long a beat has to stand still until its member is given up on.
  Span patience() const { return ttl + margin(); }
  Span beat_every() const { return ttl / 3; }
  Span read_every() const { return ttl / 3; }
  // The lowest member proposes at once, each further one waits so much longer.
  Span propose_step() const { return ttl / 10; }
  // The most that a commit or a read may take.
  Span engine_limit() const { return ttl / 4; }

  // From a member's death until its locks can be taken, if `commit` is what the engine and the
  // barrier take: the beat before it died is seen, stands still, somebody proposes.
  Span worst_takeover(std::uint32_t members, Span commit) const {
    return read_every() + patience() + propose_step() * (members > 1 ? members - 1 : 0) +
           3 * commit;
  }
};

// A beat has to come through twice in a TTL, with time to spare.
inline constexpr Span kShortestTtl = std::chrono::milliseconds{500};

}  // namespace hapax
