// What a daemon knows of itself, as plain values: for whoever shows it to people or to Prometheus.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/seat.h"
#include "campaigns/election_id.h"
#include "core/election_algorithm.h"
#include "figures/request_counts.h"
#include "locks/lock_table.h"
#include "membership/group_counts.h"
#include "net/stats.h"
#include "service/lease_times.h"
#include "service/member_views.h"
#include "tls/tls.h"

namespace hapax {

// Of a group on an engine.
struct LeaseFacts {
  Span ttl{};
  Span left{};  // None: there is no lease.
  bool in_jeopardy = false;
  bool engine_answers = false;
};

// As of now; for as long as the daemon does nothing.
struct Facts {
  const std::string& group;
  const std::string& name;  // Of the member, for people.
  Seat self{};
  ElectionId election{};
  Epoch epoch{};
  std::size_t view_size = 0;  // 0: no view runs.
  std::string obstacle;       // Why nothing can be granted here now; empty: it can.
  std::size_t peers = 0;      // The other members …
  std::size_t peers_up = 0;   // … and those of them that are connected.
  LockStats locks;            // Of all views.
  const ViewStats& views;
  const GroupCounts& counts;
  const net::Stats& links;
  std::optional<LeaseFacts> lease;
  std::optional<Seat> leader;
  Term term{};
  std::chrono::nanoseconds longest_turn{};  // Of the loop.
  std::size_t clients = 0;
  const std::deque<RuleCounts>& requests;
  std::optional<net::Expiry> certificate;  // The next of its own that ends.
  std::uint64_t complaints = 0;
  std::chrono::milliseconds uptime{};
};

}  // namespace hapax
