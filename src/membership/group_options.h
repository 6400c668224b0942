// What a member of a group is told at its start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/seat.h"
#include "locks/policy.h"
#include "loop/loop.h"
#include "net/address.h"
#include "net/mesh.h"
#include "records/backup.h"
#include "service/lease_times.h"
#include "tls/tls.h"

namespace hapax {

// What a member remembers across its runs, and what it may assume if it remembers nothing.
// See session::kUntilNoticed.
inline constexpr std::chrono::milliseconds kClientsNotice{4'200};

struct StatePlan {
  std::filesystem::path path;  // Empty: nowhere. REQUIRES, of a list: not empty.
  // Nobody has named that place: an engine's member goes on without it, if it cannot be used.
  bool is_usual_path = false;
  // All members of any group by this name are stopped, and nobody relies on what they granted.
  bool is_new_group = false;
  Epoch epoch_above{};  // Epochs begin above it.
  // Of an engine's member: it takes from there what its engine has lost.
  std::optional<Backup> restored{};
  // Of a list: whether other processes hold locks through this member: what is held in it ends with
  // it.
  bool serves_clients = true;
  // Of a list: how long a client of a life that has ended may take to notice.
  Span clients_notice = kClientsNotice;
};

struct FixedList {
  Seat self{};
  std::vector<net::Address> members;  // Where each is reached by the others.
};

struct GroupOptions {
  std::optional<FixedList> list;  // Else members find one another through an engine …
  std::string engine;             // … which for people is this one.
  StatePlan state;
  net::Address listen;                    // With a port, unless a Unix socket.
  std::optional<net::Address> advertise;  // Where the others reach us, if not there.
  std::string name;                       // For people: the host's, say.
  std::optional<std::uint32_t> seat;      // From 0; the lowest free one if not said.
  std::string group = "hapax";
  std::optional<net::TlsFiles> tls;  // The certificate's number is then the seat.
  bool is_insecure = false;          // All users of this machine are trusted, at loopback ports.
  Policy policy;
  LeaseTimes times;
  std::string started{};  // What links say of our settings, if not those: see SetSettings.
  std::string election;   // For people: how the members of a list elect.

  // What all members must have in common, as people read it: locks are safe only if all go by the
  // same leases and the same algorithms.
  std::string settings() const;
  // Which group on which engine it is.
  std::string where() const { return "group " + group + " on " + engine; }
  // An error that says what makes no sense: one that listens elsewhere than on this machine needs
  // TLS, say. Opens nothing.
  Result<void> check(Loop& io) const;
  // Without who we are.
  net::MeshOptions mesh() const;
};

}  // namespace hapax
