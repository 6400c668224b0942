// Where a member is reached: `host:port`, `[v6]:port`, `unix:/path` or just `/path`, as people
// write it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hapax::net {

struct Address {
  std::string host;        // Invariant: empty if and only if `path` is not. Never in brackets.
  std::uint16_t port = 0;  // 0: whatever is free, for listening only.
  std::string path;        // Of a Unix socket.

  bool is_unix() const { return !path.empty(); }

  // True if bytes sent there cannot leave this machine: a Unix socket, a loopback address, or
  // `localhost`, which we take to be 127.0.0.1 and never look up.
  bool is_local() const;

  // As parse() reads it.
  std::string text() const;

  friend auto operator<=>(const Address&, const Address&) = default;
};

Result<Address> parse_address(std::string_view text);

// Why nobody may speak there without TLS, since one could not tell with whom: a Unix socket says
// whose process is at the other end, and TCP does not. `is_insecure`: all users of this machine are
// trusted.
std::optional<Error> objection_to_plain(const Address& address, bool has_tls, bool is_insecure);

}  // namespace hapax::net
