#include "membership/group_options.h"

#include <fmt/format.h>

#include "core/lock_name.h"
#include "membership/directory.h"
#include "net/mesh.h"

namespace hapax {

std::string GroupOptions::settings() const {
  std::string locks = policy.text();
  constexpr std::size_t kShown = 4096;
  if (locks.size() > kShown) {
    locks = fmt::format("{}… ({:016x})", locks.substr(0, kShown), hash_of_lock(locks));
  }
  return fmt::format("TTL {} ms and locks by {}", times.ttl / std::chrono::milliseconds{1}, locks);
}

Result<void> GroupOptions::check(boost::asio::io_context& io) const {
  if (times.ttl < kShortestTtl) {
    return error("a TTL of {} ms leaves no time for three beats; use 500 ms or more",
                 times.ttl / std::chrono::milliseconds{1});
  }
  if (!listen.is_unix() && listen.port == 0) {
    return error("--listen {}: the others must know the port; name one", listen.text());
  }
  net::MeshOptions probe;
  probe.members = {advertise.value_or(listen)};
  probe.listen = listen;
  probe.group = group;
  probe.tls = tls;
  if (tls) {
    const auto certified = net::member_in(*tls);
    if (!certified) return certified.error();
    if (number(*certified) >= kSeats) {
      return error("a group has seats for {} members; the certificate is made out to member-{}",
                   kSeats, number(*certified) + 1);
    }
    probe.members.clear();
    probe.seats = kSeats;
    probe.self = *certified;
  }
  // Opens nothing; refuses what start would.
  if (auto mesh = net::Mesh::create(io, probe, {}); !mesh) return mesh.error();
  return {};
}

}  // namespace hapax
