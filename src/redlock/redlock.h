// Redlock (Sanfilippo 2015), what a client decides by: a lock is a key with an expiry at each of N
// servers that know nothing of one another, and whoever has set it at a majority of them has it,
// for what is left of the expiry. Times are in whatever the caller counts in.
#pragma once

#include <cstdint>

namespace hapax {

struct Redlock {
  std::uint32_t servers = 3;
  std::int64_t ttl = 0;
  std::int64_t drift = 0;  // By how much a server's clock may be ahead of ours by the end of a TTL.

  constexpr std::uint32_t majority() const { return servers / 2 + 1; }
  // For how long somebody may be inside who has set so many, and began to ask `elapsed` ago. 0 or
  // less: it has not got the lock, and gives back what it has set.
  constexpr std::int64_t good_for(std::uint32_t set, std::int64_t elapsed) const {
    return set < majority() ? 0 : ttl - drift - elapsed;
  }
};

}  // namespace hapax
