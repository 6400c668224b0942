// What a daemon is told at its start.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/seat.h"
#include "campaigns/election_id.h"
#include "engine/makers.h"
#include "locks/lock_delays.h"
#include "locks/policy.h"
#include "membership/group_options.h"
#include "net/address.h"
#include "net/listener.h"
#include "roles/roles.h"
#include "service/lease_times.h"
#include "tls/tls.h"

namespace hapax {

struct NodeConfig {
  Seat self{};
  std::vector<net::Address> members;   // Where member 0, 1, … is reached by the others.
  std::optional<net::Address> listen;  // If not where the others reach us.
  std::vector<net::Address> clients;   // Where programs reach us; over TCP with `tls`, if given.
  std::string group = "hapax";
  net::Sharing sharing{};            // Of the Unix sockets among these.
  Roles roles{};                     // What these programs may do.
  LockDelays lock_delays{};          // After one of them is gone.
  std::optional<net::TlsFiles> tls;  // Needed unless every address is a Unix socket, …
  bool is_insecure = false;          // … or on this machine, all of whose users are trusted.
  Policy policy;
  // With an engine, members find one another through it, and the list above is empty.
  std::optional<std::string> engine{};      // etcd://…, zookeeper://…, embedded:PATH
  engine::Makers engines{};                 // From which it is taken.
  std::optional<net::Address> advertise{};  // Where the others reach us, if not at `listen`.
  std::string name{};                       // For people.
  std::optional<std::uint32_t> seat{};      // From 0; the lowest free one if not said.
  LeaseTimes times{};
  std::optional<std::chrono::milliseconds> enlist_within{};  // Else as long as it takes.
  std::optional<net::TlsFiles> engine_tls{};
  std::string engine_user{}, engine_password{};
  // An empty path: the usual one.
  StatePlan state{};
  ElectionId election{};  // How the members of a list find who leads them; bully by default.
};

// An error that says what makes no sense; of the rest, the mesh will.
Result<void> check(const NodeConfig& config);

}  // namespace hapax
