#include "net/endpoint.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cstring>
#include <string>

namespace hapax::net {

namespace ip = boost::asio::ip;

std::optional<Endpoint> endpoint_of(const Address& address) {
  if (address.is_unix()) return boost::asio::local::stream_protocol::endpoint{address.path};
  boost::system::error_code failed;
  const ip::address number =
      ip::make_address(address.host == "localhost" ? "127.0.0.1" : address.host, failed);
  if (failed) return std::nullopt;
  return ip::tcp::endpoint{number, address.port};
}

std::optional<ip::tcp::endpoint> tcp_of(const Endpoint& endpoint) {
  const int family = endpoint.protocol().family();
  if (family != AF_INET && family != AF_INET6) return std::nullopt;
  ip::tcp::endpoint tcp;
  tcp.resize(endpoint.size());
  std::memcpy(tcp.data(), endpoint.data(), endpoint.size());
  return tcp;
}

Result<Endpoint> look_up(boost::asio::io_context& io, const Address& address) {
  if (const auto endpoint = endpoint_of(address)) return *endpoint;
  ip::tcp::resolver resolver{io};
  boost::system::error_code failed;
  const auto found = resolver.resolve(address.host, std::to_string(address.port), failed);
  if (failed || found.empty()) {
    // Spelled out, because an endpoint can be made from (almost) anything.
    return {boost::system::in_place_error,
            error("cannot find the host {}: {}", address.host, failed.message())};
  }
  return {boost::system::in_place_value, Endpoint{found.begin()->endpoint()}};
}

}  // namespace hapax::net
