#include "hapax/client.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "base/credentials.h"
#include "base/duration.h"
#include "base/machine_daemon.h"
#include "client/cells_gateway.h"
#include "client/endpoints.h"
#include "handles/gateway_makers.h"
#include "handles/own_gateway.h"
#include "handles/questions.h"
#include "net/usual_folder.h"

namespace hapax {
namespace {

[[noreturn]] void throw_bad_address(const std::string& why) {
  throw std::system_error{make_error_code(Errc::bad_address), why};
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string own_socket() {
  return "unix:" + net::usual_folder() + "/hapax-" + std::to_string(geteuid()) + ".sock";
}

std::string machine_address() { return "unix:" + std::string{kMachineSocket}; }

void add_engine(ClientOptions& options) {
  options.engine_user = environment("HAPAX_ENGINE_USER");
  if (const std::string path = environment("HAPAX_ENGINE_PASSWORD_FILE"); !path.empty()) {
    std::ifstream file{path};
    if (!std::getline(file, options.engine_password)) {
      throw_bad_address("--engine-password-file " + path + " cannot be read");
    }
  }
  if (const std::string group = environment("HAPAX_ENGINE_GROUP"); !group.empty()) {
    options.engine_group = group;
  }
  options.engine_units = environment("HAPAX_ENGINE_UNITS");
  if (const std::string text = environment("HAPAX_ENGINE_TTL"); !text.empty()) {
    const auto ttl = parse_duration(text, "--engine-ttl");
    if (!ttl) throw_bad_address(ttl.error().message);
    options.engine_ttl = std::chrono::milliseconds{*ttl / kMillisecond};
  }
}

std::vector<net::Address> addresses_of(const ClientOptions& options) {
  if (options.addresses.empty()) throw_bad_address("there is no address to reach a daemon at");
  std::vector<net::Address> addresses;
  for (const std::string& text : options.addresses) {
    const auto address = net::find_address(text);
    if (!address) throw_bad_address(address.error().message);
    addresses.push_back(*address);
  }
  return addresses;
}

// Null: in the clear.
std::shared_ptr<client::TlsIdentity> tls_of(const ClientOptions& options,
                                            const std::vector<net::Address>& addresses) {
  const bool is_given =
      !options.authority.empty() || !options.certificate.empty() || !options.key.empty();
  for (const net::Address& address : addresses) {
    const auto no = net::objection_to_plain(address, is_given, options.insecure);
    if (no) throw_bad_address(no->message);
  }
  const auto is_unix = [](const net::Address& address) { return address.is_unix(); };
  if (!is_given || std::all_of(addresses.begin(), addresses.end(), is_unix)) return nullptr;
  auto tls = client::load_identity({options.authority, options.certificate, options.key});
  if (!tls) throw_bad_address(tls.error().message);
  return *tls;
}

// An engine, with no daemon of ours in between.
std::unique_ptr<detail::Gateway> open_engine(const ClientOptions& options) {
  if (options.addresses.size() > 1) {
    throw_bad_address("an engine's address names all of its servers, and stands alone");
  }
  return detail::open_by_scheme(options.addresses.front(), options);
}

std::shared_ptr<detail::Gateway> connect(const ClientOptions& options) {
  const auto is_engine = [](const std::string& address) {
    return !detail::scheme_of(address).empty();
  };
  if (std::any_of(options.addresses.begin(), options.addresses.end(), is_engine)) {
    return detail::shared(open_engine(options));
  }
  if (options.addresses.size() == 1 && !client::cells_file(options.addresses.front()).empty()) {
    return detail::shared(std::make_unique<client::CellsGateway>(
        client::read_cells(options.addresses.front()), options, connect));
  }
  std::vector<net::Address> addresses = addresses_of(options);
  client::Trust trust{tls_of(options, addresses), std::nullopt, options.asks_only};
  if (!options.server_user.empty()) {
    const auto user = user_named(options.server_user);
    if (!user) throw_bad_address("--server-user: " + user.error().message);
    trust.server_user = *user;
  }
  return detail::shared(
      std::make_unique<client::Endpoints>(std::move(addresses), std::move(trust)));
}

}  // namespace

Client::Client() : Client(default_address()) {}

Client::Client(std::string_view addresses) : Client(options_for(addresses)) {}

Client::Client(const ClientOptions& options) : gateway_(connect(options)) {}

Client::~Client() = default;

std::vector<LockInfo> Client::who(std::string_view name, std::vector<std::uint32_t>* silent,
                                  std::uint64_t* more_locks) {
  return client::who(*detail::OwnGateway{gateway_}, name, silent, more_locks);
}
GroupStatus Client::status(bool all) { return client::status(*detail::OwnGateway{gateway_}, all); }
MemberStats Client::stats() { return client::stats(*detail::OwnGateway{gateway_}); }

void Client::leave_group(std::chrono::milliseconds patience) { client::leave(gateway_, patience); }
void Client::evict(std::string_view member, Eviction eviction) {
  const auto kind = static_cast<session::Evict::Kind>(eviction);
  client::administer(gateway_, session::Evict{0, std::string{member}, kind});
}
void Client::break_lock(std::string_view name, const std::optional<Fence>& fence) {
  client::administer(gateway_, session::Break{0, std::string{name}, fence});
}
std::string Client::settings() { return client::administer(gateway_, session::AskSettings{}); }
std::string Client::backup() { return client::administer(gateway_, session::AskBackup{}); }
std::string Client::live_page() { return client::administer(gateway_, session::AskPage{}); }
std::string Client::record(std::string_view name, std::chrono::milliseconds duration) {
  const auto for_ms = static_cast<std::uint64_t>(duration.count());
  return client::administer(gateway_, session::AskRecording{0, std::string{name}, for_ms},
                            duration);
}
std::string Client::set_settings(const SettingsChange& change) {
  session::SetSettings asked{0, {}, change.algorithms, change.default_algorithm, 0};
  if (change.ttl) asked.ttl_ms = static_cast<std::uint64_t>(change.ttl->count());
  asked.wait_ms = static_cast<std::uint64_t>(change.patience.count());
  return client::administer(gateway_, std::move(asked), change.patience);
}
std::stop_token Client::lost() const { return (*detail::OwnGateway{gateway_}).lost(); }

std::string Client::own_address() {
  if (std::string given = environment("HAPAX_ADDRESS"); !given.empty()) return given;
  return own_socket();
}

std::string Client::default_address() {
  const std::string own = own_address();
  std::error_code ignored;
  const bool is_there = own != own_socket() || std::filesystem::exists(own.substr(5), ignored);
  return is_there || !has_machine_daemon() ? own : machine_address();
}

ClientOptions Client::options_for(std::string_view addresses) {
  ClientOptions options;
  const bool is_engine = !detail::scheme_of(addresses).empty();  // Whose servers are one address.
  for (std::size_t at = 0; at <= addresses.size();) {
    const std::size_t end =
        is_engine ? addresses.size() : std::min(addresses.find(',', at), addresses.size());
    options.addresses.emplace_back(addresses.substr(at, end - at));
    at = end + 1;
  }
  options.authority = environment("HAPAX_CA");
  options.certificate = environment("HAPAX_CERT");
  options.key = environment("HAPAX_KEY");
  options.insecure = environment("HAPAX_INSECURE") == "true";
  options.server_user = environment("HAPAX_SERVER_USER");
  if (is_engine || !client::cells_file(addresses).empty()) add_engine(options);
  const auto by_root = server_by_root(kMachineSocket);
  if (options.server_user.empty() && addresses == machine_address() && by_root) {
    options.server_user = std::to_string(*by_root);
  }
  return options;
}

ClientOptions Client::options_for(std::string_view addresses, std::string& name) {
  ClientOptions options = options_for(addresses);
  if (client::cells_file(addresses).empty()) return options;
  const Cells cells = client::read_cells(addresses);
  const auto place = cells.find(name);
  if (!place) throw std::system_error{make_error_code(Errc::bad_name), place.error().message};
  name = place->name;
  return client::options_of(*place->cell, options);
}

}  // namespace hapax
