// From an address as people write it to what the operating system needs.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>

#include "base/result.h"
#include "net/address.h"

namespace hapax::net {

using Endpoint = boost::asio::generic::stream_protocol::endpoint;

// The endpoint of an address that needs no looking up: a path, a number, or localhost.
std::optional<Endpoint> endpoint_of(const Address& address);

// The same of TCP; nothing of a Unix socket.
std::optional<boost::asio::ip::tcp::endpoint> tcp_of(const Endpoint& endpoint);

// Looks the name up and waits for the answer: for starting up only.
Result<Endpoint> look_up(boost::asio::io_context& io, const Address& address);

}  // namespace hapax::net
