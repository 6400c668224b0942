// What a member of a group on an engine is told at its start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/asio_fwd.h"
#include "base/result.h"
#include "locks/policy.h"
#include "net/address.h"
#include "net/tls.h"
#include "service/lease_times.h"

namespace hapax {

struct GroupOptions {
  net::Address listen;                    // With a port, unless a Unix socket.
  std::optional<net::Address> advertise;  // Where the others reach us, if not there.
  std::string name;                       // For people: the host's, say.
  std::optional<std::uint32_t> seat;      // From 0; the lowest free one if not said.
  std::string group = "hapax";
  std::optional<net::TlsFiles> tls;  // The certificate's number is then the seat.
  Policy policy;
  LeaseTimes times;

  // What all members must have in common, as people read it: locks are safe only if all go by the
  // same leases and the same algorithms.
  std::string settings() const;
  // An error that says what makes no sense: one that listens elsewhere than on this machine needs
  // TLS, say. Opens nothing.
  Result<void> check(boost::asio::io_context& io) const;
};

}  // namespace hapax
