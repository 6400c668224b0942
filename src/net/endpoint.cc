#include "net/endpoint.h"

#include <arpa/inet.h>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <system_error>
#include <thread>
#include <utility>

#include "base/no_signals.h"

namespace hapax::net {
namespace {

template <class Bytes>
Endpoint endpoint_from(const Bytes& bytes, std::size_t size = sizeof(Bytes)) {
  Endpoint endpoint;
  std::memcpy(&endpoint.bytes, &bytes, size);
  endpoint.size = static_cast<socklen_t>(size);
  return endpoint;
}

template <class Bytes>
Bytes bytes_of(const Endpoint& endpoint) {
  Bytes bytes;
  std::memcpy(&bytes, &endpoint.bytes, sizeof bytes);
  return bytes;
}

Endpoint endpoint_at(const std::string& path) {
  sockaddr_un bytes{};
  bytes.sun_family = AF_UNIX;
  std::memcpy(bytes.sun_path, path.data(), std::min(path.size(), sizeof bytes.sun_path - 1));
  return endpoint_from(bytes, offsetof(sockaddr_un, sun_path) + path.size() + 1);
}

// By its name or its number. 0: there is none, which connecting complains about.
std::uint32_t link_called(const char* name) {
  const unsigned number = if_nametoindex(name);
  return number != 0 ? number : static_cast<std::uint32_t>(std::strtoul(name, nullptr, 10));
}

Found find(const Address& address) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  const int failed = getaddrinfo(address.host.c_str(), port.c_str(), &wanted, &found);
  if (failed != 0) {
    return error("cannot find the host {}: {}", address.host, gai_strerror(failed));
  }
  std::vector<Endpoint> all;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Endpoint& endpoint = all.emplace_back();
    std::memcpy(&endpoint.bytes, one->ai_addr, one->ai_addrlen);
    endpoint.size = one->ai_addrlen;
  }
  freeaddrinfo(found);
  if (all.empty()) return error("the host {} has no address", address.host);
  return all;
}

using Name = int (*)(int, sockaddr*, socklen_t*);
std::optional<Endpoint> asked(Name name, int fd) {
  Endpoint endpoint;
  endpoint.size = sizeof endpoint.bytes;
  if (name(fd, reinterpret_cast<sockaddr*>(&endpoint.bytes), &endpoint.size) != 0) return {};
  return endpoint;
}

}  // namespace

std::uint16_t Endpoint::port() const {
  if (family() == AF_INET) return ntohs(bytes_of<sockaddr_in>(*this).sin_port);
  if (family() == AF_INET6) return ntohs(bytes_of<sockaddr_in6>(*this).sin6_port);
  return 0;
}

std::string Endpoint::host() const {
  if (is_unix()) return "a Unix socket";
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (family() == AF_INET) {
    const auto at = bytes_of<sockaddr_in>(*this);
    inet_ntop(AF_INET, &at.sin_addr, host.data(), host.size());
  } else {
    const auto at = bytes_of<sockaddr_in6>(*this);
    inet_ntop(AF_INET6, &at.sin6_addr, host.data(), host.size());
  }
  return host.data();
}

std::string Endpoint::text() const {
  if (is_unix()) return host();
  return family() == AF_INET ? fmt::format("{}:{}", host(), port())
                             : fmt::format("[{}]:{}", host(), port());
}

std::optional<Endpoint> endpoint_of(const Address& address) {
  if (address.is_unix()) return endpoint_at(address.path);
  const char* host = address.host == "localhost" ? "127.0.0.1" : address.host.c_str();
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(address.port);
  if (inet_pton(AF_INET, host, &v4.sin_addr) == 1) return endpoint_from(v4);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(address.port);
  const std::string number = address.host.substr(0, address.host.find('%'));
  if (inet_pton(AF_INET6, number.c_str(), &v6.sin6_addr) != 1) return std::nullopt;
  if (number != address.host) v6.sin6_scope_id = link_called(host + number.size() + 1);
  return endpoint_from(v6);
}

std::optional<Endpoint> here_of(int fd) { return asked(getsockname, fd); }
std::optional<Endpoint> there_of(int fd) { return asked(getpeername, fd); }

Result<Endpoint> look_up(const Address& address) {
  if (const auto endpoint = endpoint_of(address)) return *endpoint;
  const Found found = find(address);
  if (!found) return found.error();
  return found->front();
}

// A thread of its own, which nobody waits for: looking up can take as long as it likes. It does not
// keep `then`, whose end is the loop's business.
void look_up_later(const Address& address, std::shared_ptr<Inbox> inbox,
                   std::function<void(const Found&)> then) {
  const NoSignals none;
  try {
    std::thread{[address, inbox, then]() mutable {
      inbox->post([found = find(address), then = std::move(then)] { then(found); });
    }}.detach();
  } catch (const std::system_error& failed) {  // No more threads, for now.
    Found nothing = error("cannot look up the host {}: {}", address.host, failed.what());
    inbox->post([found = std::move(nothing), then = std::move(then)] { then(found); });
  }
}

}  // namespace hapax::net
