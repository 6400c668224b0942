// Gateways to what is no daemon of ours, by the scheme of its address: etcd://h1:2379,h2:2379. The
// client knows none of them, and so needs none of their libraries; a program has those that it
// links (the component hapax::engines: engines/gateways.cc).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "handles/gateway.h"
#include "hapax/client.h"

namespace hapax::detail {

struct GatewayMaker {
  std::string_view scheme;  // As in etcd://.
  // `address` has that scheme, and all of its servers. Throws std::system_error: bad_address,
  // unreachable, refused, forbidden.
  std::unique_ptr<Gateway> (*open)(const std::string& address, const ClientOptions& options);
  // A sentence for people who take locks there; empty: it promises what others do.
  std::string_view not_promised{};
};

// Those of this program. This room's own definition, which is weak, has none.
std::span<const GatewayMaker> gateway_makers();

// etcd of etcd://…; empty: it is the address of a daemon.
std::string_view scheme_of(std::string_view address);

// Of its maker; empty: there is none, or nothing to say.
std::string_view not_promised_at(std::string_view address);

// Throws what the maker does; bad_address, with what to link or install, if there is none.
std::unique_ptr<Gateway> open_by_scheme(const std::string& address, const ClientOptions& options);

}  // namespace hapax::detail
