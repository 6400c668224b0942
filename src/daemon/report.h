// What a daemon says of itself: to programs that ask, and to Prometheus.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/seat.h"
#include "core/election_algorithm.h"
#include "daemon/daemon.h"
#include "locks/lock_table.h"
#include "net/stats.h"
#include "session/protocol.h"

namespace hapax {

// As of now; for as long as the daemon does nothing.
struct Facts {
  const NodeConfig& config;
  std::string name;  // Ours, for people.
  Epoch epoch{};
  const LockStats& locks;
  const net::Stats& links;
  std::optional<Seat> leader;
  Term term{};
  std::chrono::nanoseconds longest_turn{};  // Of the loop.
  std::size_t clients = 0;
  std::uint64_t complaints = 0;
  std::chrono::milliseconds uptime{};
};

// Without what the members themselves say.
session::State state_of(const Facts& facts);
session::Stats stats_of(const Facts& facts);
// Prometheus' text format.
std::string metrics_of(const Facts& facts);

}  // namespace hapax
