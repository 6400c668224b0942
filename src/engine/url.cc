#include "engine/url.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace hapax::engine {
namespace {

constexpr std::string_view kForms =
    "write embedded:PATH, etcd://HOST:PORT,… or zookeeper://HOST:PORT,…/CHROOT";
constexpr std::string_view kEndpointForm = "write HOST:PORT,…";
constexpr std::size_t kEndpoints = 32;

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (failed != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

bool is_host(std::string_view host, bool in_brackets) {
  if (host.empty() || host.size() > 255) return false;
  for (const char c : host) {
    const bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!alnum && c != '.' && c != '-' && c != '_' && !(in_brackets && c == ':')) return false;
  }
  return true;
}

Result<Endpoint> endpoint_of(std::string_view text, std::uint16_t usual_port) {
  const bool in_brackets = text.starts_with('[');
  const std::size_t host_end = in_brackets ? text.find(']') : text.find(':');
  std::string_view host = text.substr(0, host_end);
  std::string_view rest = host_end == std::string_view::npos ? "" : text.substr(host_end);
  if (in_brackets) {
    host.remove_prefix(1);
    if (rest.empty()) return error("'{}' lacks a ']'; {}", text, kEndpointForm);
    rest.remove_prefix(1);
  }
  if (!is_host(host, in_brackets)) return error("'{}' is no host; {}", text, kEndpointForm);
  if (rest.empty()) return Endpoint{std::string{host}, usual_port};
  const auto port = rest.front() == ':' ? port_of(rest.substr(1)) : std::nullopt;
  if (!port) return error("'{}' has no port from 1 to 65535; {}", text, kEndpointForm);
  return Endpoint{std::string{host}, *port};
}

Result<void> good_chroot(std::string_view path) {
  for (std::size_t from = 1; from <= path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    const std::string_view part = path.substr(from, end - from);
    if (!is_host(part, false) || part == "." || part == "..") {
      return error("'{}' is no chroot; write letters, digits, '-', '_' and '.' between '/'", path);
    }
    from = end + 1;
  }
  return {};
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::embedded:
      return "embedded";
    case Kind::etcd:
      return "etcd";
    case Kind::zookeeper:
      return "zookeeper";
  }
  return "?";
}

std::string Endpoint::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Result<std::vector<Endpoint>> parse_endpoints(std::string_view text, std::uint16_t usual_port) {
  std::vector<Endpoint> endpoints;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    auto endpoint = endpoint_of(text.substr(from, end - from), usual_port);
    if (!endpoint) return endpoint.error();
    endpoints.push_back(std::move(*endpoint));
    if (endpoints.size() > kEndpoints) return error("more than {} endpoints", kEndpoints);
    from = end + 1;
  }
  return endpoints;
}

std::string Url::text() const {
  std::string text{name_of(kind)};
  text += kind == Kind::embedded ? ":" : "://";
  for (const Endpoint& endpoint : endpoints) {
    if (&endpoint != &endpoints.front()) text += ',';
    text += endpoint.text();
  }
  return text + path;
}

Result<Url> parse_url(std::string_view text) {
  if (text.starts_with("embedded:")) {
    const std::string_view path = text.substr(9);
    // SQLite takes what begins with ':' for memory of its own.
    if (path.empty() || path.find('\0') != std::string_view::npos || path.starts_with("//") ||
        path.starts_with(':')) {
      return error("'{}' names no file; write embedded:PATH", text);
    }
    return Url{Kind::embedded, {}, std::string{path}};
  }
  Url url;
  std::uint16_t usual_port = 0;
  if (text.starts_with("etcd://")) {
    url.kind = Kind::etcd;
    usual_port = 2379;
  } else if (text.starts_with("zookeeper://")) {
    url.kind = Kind::zookeeper;
    usual_port = 2181;
  } else {
    return error("'{}' is no engine; {}", text, kForms);
  }
  std::string_view rest = text.substr(text.find("://") + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view path = rest.substr(slash);
  rest = rest.substr(0, slash);
  if (path == "/") path = "";
  if (url.kind == Kind::etcd && !path.empty()) {
    return error("etcd has no paths, but '{}' ends with one; leave it out", text);
  }
  if (auto good = good_chroot(path); !good) return good.error();
  url.path = path;
  auto endpoints = parse_endpoints(rest, usual_port);
  if (!endpoints) return endpoints.error();
  url.endpoints = std::move(*endpoints);
  return url;
}

}  // namespace hapax::engine
