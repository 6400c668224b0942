#include "net/mesh.h"

#include <algorithm>
#include <chrono>
#include <openssl/ssl.h>
#include <set>

#include "base/check.h"
#include "net/mesh_impl.h"

namespace hapax::net {
namespace {

constexpr std::size_t kLargestFrame = std::size_t{1} << 30;
constexpr std::size_t kMostMembers = 1 << 16;

std::optional<Error> objection(const MeshLimits& limits) {
  constexpr Milliseconds kNone{0};
  if (limits.frame_bytes < 2 * kLargestGreeting || limits.frame_bytes > kLargestFrame) {
    return error("frames are limited to {} … {} bytes, not {}", 2 * kLargestGreeting, kLargestFrame,
                 limits.frame_bytes);
  }
  if (limits.resend_bytes < limits.frame_bytes || limits.resend_messages < 4) {
    return error("at least one frame and four messages must be kept for resending");
  }
  if (limits.pending == 0 || limits.per_identity == 0) {
    return error("nobody could connect: allow at least one connection at a time");
  }
  if (limits.handshake <= kNone || limits.ping <= kNone || limits.linger < kNone) {
    return error("time limits are positive");
  }
  if (limits.backoff_min <= kNone || limits.backoff_max < limits.backoff_min) {
    return error("the shortest wait between attempts is positive and not above the longest");
  }
  return std::nullopt;
}

std::optional<Error> objection_to_addresses(const MeshOptions& options) {
  std::set<Address> seen;
  for (std::size_t i = 0; i < options.members.size(); ++i) {
    const Address& address = options.members[i];
    if (!address.is_unix() && address.port == 0) {
      if (i < number(options.self)) return error("member {} has no port to dial", i + 1);
    } else if (!seen.insert(address).second) {
      return error("two members cannot share the address {}", address.text());
    }
  }
  std::vector<Address> all = options.members;
  if (options.listen) all.push_back(*options.listen);
  for (const Address& address : all) {
    if (const auto e = objection_to(address, options)) return e;
  }
  return std::nullopt;
}

std::optional<Error> objection(const MeshOptions& options) {
  const std::size_t size = std::max<std::size_t>(options.members.size(), options.seats);
  if (size == 0 || size > kMostMembers) {
    return error("a group has 1 … {} members, not {}", kMostMembers, size);
  }
  if (number(options.self) >= size) {
    return error("there is no member {} in a group of {}", number(options.self) + 1, size);
  }
  if (number(options.self) >= options.members.size() && !options.listen) {
    return error("member {} has no address to listen on", number(options.self) + 1);
  }
  if (options.group.empty() || options.group.size() > kLongestGroup) {
    return error("the name of a group has 1 … {} characters", kLongestGroup);
  }
  if (auto e = objection(options.limits)) return e;
  return objection_to_addresses(options);
}

std::uint64_t wall_clock_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

}  // namespace

std::optional<Error> objection_to(const Address& address, const MeshOptions& options) {
  return objection_to_plain(address, options.tls.has_value(), options.is_insecure);
}

Result<std::unique_ptr<Mesh>> Mesh::create(Loop& io, MeshOptions options, MeshHandlers handlers) {
  if (const auto e = objection(options)) return *e;
  std::shared_ptr<TlsContext> tls;
  if (options.tls) {
    auto context = make_tls_context(*options.tls);
    if (!context) return context.error();
    tls = *context;
    const auto member = member_of(SSL_CTX_get0_certificate(tls->native_handle()));
    if (member != options.self) {
      return error("the certificate {} is not made out to member-{}", options.tls->certificate,
                   number(options.self) + 1);
    }
  }
  if (options.incarnation == 0) options.incarnation = wall_clock_us();
  return std::unique_ptr<Mesh>{new Mesh{
      std::make_shared<Impl>(io, std::move(options), std::move(handlers), std::move(tls))}};
}

Mesh::Mesh(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Mesh::~Mesh() { impl_->abandon(); }

Result<void> Mesh::start() { return impl_->start(); }
void Mesh::stop() { impl_->stop(); }
Result<void> Mesh::renew_tls() { return impl_->renew_tls(); }
bool Mesh::send(Seat to, std::span<const std::uint8_t> message) { return impl_->send(to, message); }
Result<void> Mesh::set_address(Seat peer, const Address& address) {
  return impl_->set_address(peer, address);
}
const std::string& Mesh::trouble_with(Seat peer) const { return impl_->peer(peer).trouble; }
bool Mesh::is_up(Seat peer) const { return impl_->peer(peer).up != nullptr; }
std::uint64_t Mesh::incarnation_of(Seat peer) const { return impl_->peer(peer).link.seen(); }
std::uint32_t Mesh::version_of(Seat peer) const { return impl_->peer(peer).version; }
const std::string& Mesh::release_of(Seat peer) const { return impl_->peer(peer).release; }
void Mesh::hold(Seat peer, bool on) { impl_->hold(peer, on); }
std::size_t Mesh::largest_message() const { return impl_->largest_message(); }
Address Mesh::listening() const { return impl_->listening(); }
std::uint64_t Mesh::incarnation() const { return impl_->incarnation(); }
const Stats& Mesh::stats() const { return impl_->stats(); }

}  // namespace hapax::net
