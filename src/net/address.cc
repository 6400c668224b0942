#include "net/address.h"

#include <arpa/inet.h>
#include <charconv>
#include <netinet/in.h>
#include <sys/un.h>

namespace hapax::net {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;
constexpr std::size_t kLongestHost = 253;  // RFC 1035.

Result<Address> parse_path(std::string_view path) {
  if (path.empty()) return error("'unix:' needs a path, as in unix:/run/hapax.sock");
  if (path.size() > kLongestPath) {
    return error("the path of a Unix socket has at most {} characters, not {}", kLongestPath,
                 path.size());
  }
  if (path.find('\0') != std::string_view::npos) return error("a path has no zero characters");
  return Address{"", 0, std::string{path}};
}

bool is_name(std::string_view host) {
  for (const char c : host) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '_') return false;
  }
  return !host.empty() && host.size() <= kLongestHost;
}

// An address of a link says which: fe80::1%eth0.
bool is_v6(const std::string& host) {
  in6_addr ignored{};
  return inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &ignored) == 1;
}

Result<Address> with_port(std::string host, std::string_view port) {
  std::uint16_t number = 0;
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (failed != std::errc{} || end != port.data() + port.size()) {
    return error("'{}' is not a port; use 0 … 65535", port);
  }
  return Address{std::move(host), number, ""};
}

// Of a number, not a name.
bool is_loopback(const std::string& host) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6) != 1) return false;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return v6.s6_addr[12] == 127;
  return IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace

bool Address::is_local() const {
  if (is_unix() || host == "localhost") return true;
  return is_loopback(host);
}

std::string Address::text() const {
  if (is_unix()) return std::string{kUnix} + path;
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<Address> parse_address(std::string_view text) {
  if (text.starts_with(kUnix)) return parse_path(text.substr(kUnix.size()));
  if (text.starts_with('/')) return parse_path(text);
  if (text.starts_with('[')) {
    const std::size_t close = text.find("]:");
    if (close == std::string_view::npos) {
      return error("'{}' is not an address; write [v6]:port, as in [::1]:7400", text);
    }
    std::string host{text.substr(1, close - 1)};
    if (!is_v6(host)) return error("'{}' is not an IPv6 address", host);
    return with_port(std::move(host), text.substr(close + 2));
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return error("'{}' has no port; write host:port, [v6]:port or unix:/path", text);
  }
  const std::string_view host = text.substr(0, colon);
  if (host.find(':') != std::string_view::npos) {
    return error("'{}' is ambiguous; put an IPv6 address in brackets, as in [::1]:7400", text);
  }
  if (!is_name(host)) return error("'{}' is not the name or the address of a host", host);
  return with_port(std::string{host}, text.substr(colon + 1));
}

std::optional<Error> objection_to_plain(const Address& address, bool has_tls, bool is_insecure) {
  if (has_tls || address.is_unix()) return std::nullopt;
  if (!address.is_local()) {
    return error(
        "{} is not on this machine, and without TLS anybody on the way could read and forge; give "
        "certificates (`hapax certs` makes them) or use unix: addresses",
        address.text());
  }
  if (is_insecure) return std::nullopt;
  return error(
      "without TLS any user of this machine could pose as somebody else at {}; use unix:/PATH or "
      "unix:NAME, give certificates (`hapax certs` makes them), or say --insecure",
      address.text());
}

}  // namespace hapax::net
