// What a run of the swarm came to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hapax {

struct SwarmReport {
  std::string violation;  // Empty: none.
  std::uint64_t entries = 0;
  std::uint64_t lost = 0;           // Grants that ended with a lease.
  std::uint64_t stale_refused = 0;  // Late writes that the gate kept out.
  std::uint64_t updates = 0;        // Writes that it let through.
  std::uint64_t views = 0;          // The epoch at the end.
  std::uint64_t faults = 0;
  std::uint64_t events = 0;
  std::vector<std::string> log;  // The last things that happened, if asked for.
};

}  // namespace hapax
