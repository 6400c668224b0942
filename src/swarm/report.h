// What a run of the swarm came to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hapax {

struct SwarmReport {
  std::string violation;  // Empty: none.
  std::uint64_t entries = 0;
  std::uint64_t kept_entries = 0;   // … of those who kept the lock, and asked nobody.
  std::uint64_t lost = 0;           // Grants that ended with a lease.
  std::uint64_t stale_refused = 0;  // Late writes that the gate kept out.
  std::uint64_t updates = 0;        // Writes that it let through.
  std::uint64_t views = 0;          // The epoch at the end.
  std::uint64_t faults = 0;
  std::uint64_t meetings = 0;   // Of one member with another, as seen by one.
  std::uint64_t repeated = 0;   // Messages that came again, and were dropped.
  std::uint64_t holes = 0;      // Writes that a wire lost while it went on.
  std::uint64_t overflows = 0;  // Messages that a link was too full for.
  std::uint64_t events = 0;
  std::vector<std::string> log;  // The last things that happened, if asked for.

  // Of several runs together.
  void add(const SwarmReport& one) {
    entries += one.entries;
    kept_entries += one.kept_entries;
    lost += one.lost;
    stale_refused += one.stale_refused;
    updates += one.updates;
    views += one.views;
    faults += one.faults;
    meetings += one.meetings;
    repeated += one.repeated;
    holes += one.holes;
    overflows += one.overflows;
    events += one.events;
  }
};

}  // namespace hapax
