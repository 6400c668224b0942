// Where an engine is, as people write it: embedded:PATH, etcd://HOST[:PORT],…,
// zookeeper://HOST[:PORT],…[/CHROOT].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hapax::engine {

enum class Kind { embedded, etcd, zookeeper };
std::string_view name_of(Kind kind);

struct Endpoint {
  std::string host;  // Never in brackets.
  std::uint16_t port = 0;

  std::string text() const;  // host:port or [v6]:port.
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// HOST[:PORT],…
Result<std::vector<Endpoint>> parse_endpoints(std::string_view text, std::uint16_t usual_port);

struct Url {
  Kind kind = Kind::embedded;
  std::vector<Endpoint> endpoints;  // None for embedded.
  std::string path;                 // The file; or the chroot, "" or "/a/b".

  std::string text() const;
  friend bool operator==(const Url&, const Url&) = default;
};

Result<Url> parse_url(std::string_view text);

}  // namespace hapax::engine
