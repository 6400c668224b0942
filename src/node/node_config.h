// What a daemon is told at its start.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "net/address.h"
#include "net/mesh.h"
#include "net/tls.h"
#include "node/election_id.h"
#include "node/policy.h"

namespace hapax {

struct NodeConfig {
  NodeId self{};
  std::vector<net::Address> members;   // Where member 0, 1, … is reached by the others.
  std::optional<net::Address> listen;  // If not where the others reach us.
  std::vector<net::Address> clients;   // Where programs reach us; over TCP with `tls`, if given.
  std::string group = "hapax";
  Epoch epoch{1};
  std::optional<net::TlsFiles> tls;  // Needed unless every address is of this machine.
  Policy policy;
  ElectionId election{};  // Of the coordinator of `central`, and of who leads; bully by default.
};

// An error that says what makes no sense; of the rest, the mesh will.
Result<void> check(const NodeConfig& config);
net::MeshOptions mesh_options_of(const NodeConfig& config);

}  // namespace hapax
