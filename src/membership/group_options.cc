#include "membership/group_options.h"

#include <fmt/format.h>

#include "core/lock_name.h"
#include "membership/directory.h"
#include "net/frame.h"
#include "net/mesh.h"

namespace hapax {

namespace {

// The first part of a long text, and what tells it from others that begin alike.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  constexpr std::size_t kDigest = 22;  // As below.
  return fmt::format("{}… ({:016x})", text.substr(0, most - kDigest), hash_of_lock(text));
}

}  // namespace

std::string GroupOptions::settings() const {
  constexpr std::size_t kShown = 4096;
  const std::string locks = shortened(policy.text(), kShown);
  if (!list) {
    return fmt::format("TTL {} ms and locks by {}", times.ttl / std::chrono::milliseconds{1},
                       locks);
  }
  std::string members;
  for (const net::Address& address : list->members) {
    members += (members.empty() ? "" : ",") + address.text();
  }
  return fmt::format("members {}, locks by {} and election by {}", members, locks, election);
}

Result<void> GroupOptions::check(boost::asio::io_context& io) const {
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
  options.settings = shortened(settings(), net::kLongestSettings);
  options.tls = tls;
  options.is_insecure = is_insecure;
  return options;
}

}  // namespace hapax
