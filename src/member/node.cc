#include "hapax/node.h"

#include <climits>
#include <unistd.h>
#include <utility>

#include "engines/engines.h"
#include "handles/own_gateway.h"
#include "handles/questions.h"
#include "hapax/error.h"
#include "member/member.h"
#include "net/usual_folder.h"
#include "records/directory.h"

namespace hapax {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw std::system_error{make_error_code(Errc::refused), why};
}

template <class R>
auto or_throw(R&& result, Errc errc) {
  if (!result) throw std::system_error{make_error_code(errc), result.error().message};
  return std::move(*result);
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  return gethostname(name, sizeof name) == 0 ? name : "?";
}

std::optional<net::TlsFiles> files_of(const std::string& authority, const std::string& certificate,
                                      const std::string& key) {
  if (authority.empty() && certificate.empty() && key.empty()) return std::nullopt;
  return net::TlsFiles{authority, certificate, key};
}

void add_engine(NodeConfig& config, const NodeOptions& options) {
  if (!options.members.empty() || options.self != 1) {
    refuse("an engine finds the members by itself: leave out members and self");
  }
  config.engine = options.engine;
  config.engines = engine::all();
  const bool is_here = options.engine.starts_with("embedded:");
  if (options.listen.empty() && !is_here) {
    refuse("listen is missing: where the other members reach us");
  }
  config.listen = options.listen.empty()
                      ? net::fresh_socket()
                      : or_throw(net::find_address(options.listen), Errc::bad_address);
  if (!options.advertise.empty()) {
    config.advertise = or_throw(net::find_address(options.advertise), Errc::bad_address);
  }
  config.name = options.name.empty() ? host_name() : options.name;
  if (config.name.size() > 64) refuse("a member's name has 1 … 64 characters");
  if (options.seat && (*options.seat < 1 || *options.seat > kSeats)) {
    refuse("there is no such seat: they are 1 … 64");
  }
  if (options.seat) config.seat = *options.seat - 1;
  config.times.ttl = options.ttl;
  if (config.times.ttl < kShortestTtl || config.times.ttl > std::chrono::hours{1}) {
    refuse("the TTL is out of range: use 500 ms … 1 h");
  }
  config.enlist_within = options.enlist_within;
  config.engine_tls =
      files_of(options.engine_authority, options.engine_certificate, options.engine_key);
  config.engine_user = options.engine_user;
  config.engine_password = options.engine_password;
}

NodeConfig config_of(const NodeOptions& options) {
  NodeConfig config;
  if (!options.engine.empty()) add_engine(config, options);
  if (options.self < 1) refuse("there is no member 0: they count from 1");
  config.self = Seat{options.self - 1};
  config.group = options.group;
  for (const std::string& text : options.members) {
    config.members.push_back(or_throw(net::find_address(text), Errc::bad_address));
  }
  for (const std::string& text : options.clients) {
    config.clients.push_back(or_throw(net::find_address(text), Errc::bad_address));
  }
  config.policy =
      or_throw(Policy::parse(options.default_algorithm, options.algorithms), Errc::refused);
  config.roles = or_throw(Roles::parse(options.roles), Errc::refused);
  const auto election = election_named(options.election);
  if (!election) refuse("there is no election \"" + options.election + '"');
  config.election = *election;
  config.tls = files_of(options.authority, options.certificate, options.key);
  config.is_insecure = options.insecure;
  config.state.path = options.state;
  config.state.is_new_group = options.new_group;
  return config;
}

}  // namespace

Node::Node(const NodeOptions& options)
    : gateway_(detail::shared(std::make_unique<client::Member>(config_of(options)))) {}
Node::~Node() = default;
bool Node::is_complete() const {
  return gateway_->is_ours() && static_cast<client::Member&>(*gateway_).is_complete();
}
std::vector<LockInfo> Node::who(std::string_view name, std::vector<std::uint32_t>* silent,
                                std::uint64_t* more_locks) {
  return client::who(*detail::OwnGateway{gateway_}, name, silent, more_locks);
}
GroupStatus Node::status(bool all) { return client::status(*detail::OwnGateway{gateway_}, all); }
MemberStats Node::stats() { return client::stats(*detail::OwnGateway{gateway_}); }
void Node::leave_group(std::chrono::milliseconds patience) { client::leave(gateway_, patience); }

}  // namespace hapax
