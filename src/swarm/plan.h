// What a run of the swarm does, all of it drawn from its seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "service/lease_times.h"

namespace hapax {

struct SwarmPlan {
  std::string algorithm;
  std::uint64_t seed = 1;
  bool fixed = false;  // A fixed list of members, without an engine.
  // To see it caught: members do not wait for clients of their last life, or for leases that an
  // engine may have forgotten; or do not keep what they promised, or saw.
  bool hasty = false, forgetful = false;
  // To see it caught: who keeps a lock does not look at its lease before it enters again; or does
  // not say how often it did; or, of clients, enters although the word was taken back.
  bool trusting = false, secretive = false, grabbing = false;
  bool blunt = false;  // Records say another TTL at once, whatever was promised by the one before.
  std::uint32_t members = 3;
  std::uint32_t clients = 6;  // In all, spread over the members.
  bool keeping = false;       // They are on their member's machine, and may keep locks.
  std::uint32_t threads = 0;  // Of programs that are members; likewise.
  std::uint32_t locks = 1;
  std::uint32_t units = 1;    // Of a semaphore.
  std::uint32_t readers = 0;  // Of 100 requests for a lock that can be shared: only to read.
  LeaseTimes times;
  Span latency{};         // Of a message, on average; exponential.
  Span engine_latency{};  // One way.
  Span hold{};            // How long a client works, on average.
  Span think{};           // … and pauses before it asks again.
  Span fault_every{};     // On average, at each member.
  // The share of each kind of fault, of 100.
  std::uint32_t crashes = 0, pauses = 0, cuts = 0, resets = 0, engine_cuts = 0, leaves = 0,
                evictions = 0, deletions = 0;
  std::uint32_t wipes = 0, restores = 0;  // Of the engine.
  // Somebody sets another algorithm and another TTL. Not of an engine that forgets: whoever knows
  // neither from it nor from before that a TTL was longer does not wait for it (docs/views.md).
  std::uint32_t settings = 0;
  std::uint32_t lost_answers = 0;     // Of 1,000 answers of the engine.
  std::uint32_t lost_frames = 0;      // Of 10,000 writes to a connection, which then breaks.
  std::uint32_t repeated_frames = 0;  // Of 1,000.
  std::uint32_t overflows = 0;        // Of 10,000 messages: too many for their link, and lost.
  std::uint32_t give_up = 0;          // Of 100 waits: given up before they are served.
  std::uint32_t drift = 0;            // Clocks run fast or slow by up to this many parts in 10,000.
  Span unsafe{};                      // How long faults strike; then all is healed.

  Span longest_ttl() const { return settings > 0 ? 3 * times.ttl : times.ttl; }
  static SwarmPlan draw(std::string_view algorithm, std::uint64_t seed, bool fixed = false);
  std::string text() const;
  // As a policy names it.
  bool has_units() const;
  std::string lock_kind() const;
};

}  // namespace hapax
