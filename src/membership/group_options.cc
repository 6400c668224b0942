#include "membership/group_options.h"

#include <fmt/format.h>

#include "net/frame.h"
#include "net/mesh.h"
#include "records/directory.h"
#include "records/settings.h"

namespace hapax {

std::string GroupOptions::settings() const {
  if (!list) return Settings{times.ttl, policy}.text();
  constexpr std::size_t kShown = 4096;
  const std::string locks = shortened(policy.text(), kShown);
  std::string members;
  for (const net::Address& address : list->members) {
    members += (members.empty() ? "" : ",") + address.text();
  }
  return fmt::format("members {}, locks by {} and election by {}", members, locks, election);
}

Result<void> GroupOptions::check(Loop& io) const {
  net::MeshOptions probe = mesh();
  if (list) {
    probe.self = list->self;
  } else if (times.ttl < kShortestTtl) {
    return error("a TTL of {} ms leaves no time for three beats; use 500 ms or more",
                 times.ttl / std::chrono::milliseconds{1});
  } else if (!listen.is_unix() && listen.port == 0) {
    return error("--listen {}: the others must know the port; name one", listen.text());
  } else if (tls) {
    const auto certified = net::member_in(*tls);
    if (!certified) return certified.error();
    if (number(*certified) >= kSeats) {
      return error("a group has seats for {} members; the certificate is made out to member-{}",
                   kSeats, number(*certified) + 1);
    }
    probe.self = *certified;
  }
  // Opens nothing; refuses what start would.
  if (auto made = net::Mesh::create(io, probe, {}); !made) return made.error();
  return {};
}

net::MeshOptions GroupOptions::mesh() const {
  net::MeshOptions options;
  if (list) {
    options.members = list->members;
  } else {
    options.seats = kSeats;
  }
  options.listen = listen;
  options.group = group;
  options.settings = shortened(started.empty() ? settings() : started, net::kLongestSettings);
  options.tls = tls;
  options.is_insecure = is_insecure;
  return options;
}

}  // namespace hapax
